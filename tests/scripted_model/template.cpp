// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/template.hpp"

#include <algorithm>
#include <charconv>

#include "tests/scripted_model/template_filter.hpp"

namespace ba::scripted {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n'; }

/// The element of a list at "2" or, from the end, at "-1".
template <typename T>
const T* element(const std::vector<T>& list, const std::string& index) {
  int at = 0;
  const auto parsed = std::from_chars(index.data(), index.data() + index.size(), at);
  if (parsed.ec != std::errc() || parsed.ptr != index.data() + index.size()) return nullptr;
  if (at < 0) at += static_cast<int>(list.size());
  if (at < 0 || at >= static_cast<int>(list.size())) return nullptr;
  return &list[static_cast<std::size_t>(at)];
}

std::optional<std::string> copy_of(const std::string* text) {
  if (text == nullptr) return std::nullopt;
  return *text;
}

std::optional<std::string> look_up_round(const TranscriptRound& round,
                                         const std::vector<std::string>& path, std::size_t from) {
  const std::string& name = path[from];
  const bool last = from + 1 == path.size();
  if (name == "question" && last) return round.question;
  if (name == "today" && last && !round.today.empty()) return round.today;
  if (name == "answer" && last && !round.answer.empty()) return round.answer;
  if (name == "observations" && last) return std::to_string(round.observations.size());
  if (name == "observation" && from + 2 == path.size()) {
    return copy_of(element(round.observations, path[from + 1]));
  }
  return std::nullopt;
}

std::optional<std::string> look_up(const std::vector<std::string>& path, const Scope& scope) {
  if (path.size() == 1) {
    const auto variable = scope.variables.find(path[0]);
    if (variable != scope.variables.end()) return variable->second;
  }
  if (path[0] == "match" && path.size() == 2) return copy_of(element(scope.groups, path[1]));
  if (path[0] == "rounds" && path.size() == 1) return std::to_string(scope.rounds.size());
  if (scope.rounds.empty()) return std::nullopt;
  if (path[0] == "earlier" && path.size() >= 3) {  // rounds before the current one
    const std::vector<TranscriptRound> before(scope.rounds.begin(), scope.rounds.end() - 1);
    const TranscriptRound* round = element(before, path[1]);
    return round == nullptr ? std::nullopt : look_up_round(*round, path, 2);
  }
  return look_up_round(scope.rounds.back(), path, 0);
}

}  // namespace

std::optional<std::string> apply(const Template::Filter& filter, std::string value,
                                 const Scope& scope) {
  std::string argument = filter.argument;
  if (!filter.quoted && !argument.empty()) {
    const auto variable = scope.variables.find(argument);
    if (variable != scope.variables.end()) argument = variable->second;
  }
  return apply_filter(filter.name, argument, std::move(value));
}

std::optional<std::string> evaluate(const Template::Part& part, const Scope& scope) {
  std::optional<std::string> value = look_up(part.source, scope);
  for (const Template::Filter& filter : part.filters) {
    if (filter.name == "default") {
      if (!value) value = filter.argument;
      continue;
    }
    if (value) value = apply(filter, *std::move(value), scope);
  }
  return value;
}

/// Reads `literal {{source | filter 'argument' | ...}} literal`.
class TemplateParser {
 public:
  explicit TemplateParser(std::string_view text) : text_(text) {}

  Result<Template> parse() {
    Template result;
    while (at_ < text_.size()) {
      const std::size_t open = std::min(text_.find("{{", at_), text_.size());
      if (open > at_) {
        result.parts_.push_back({std::string(text_.substr(at_, open - at_)), {}, {}});
      }
      at_ = open;
      if (at_ == text_.size()) break;
      at_ += 2;
      Template::Part part;
      if (!read_expression(part)) {
        return invalid_argument("bad expression at byte " + std::to_string(at_) + " of \"" +
                                std::string(text_) + "\"");
      }
      result.parts_.push_back(std::move(part));
    }
    return result;
  }

 private:
  bool read_expression(Template::Part& part) {
    std::string path = read_word();
    for (std::size_t dot = 0; !path.empty() && dot != std::string::npos;) {
      dot = path.find('.');
      part.source.push_back(path.substr(0, dot));
      if (dot != std::string::npos) path.erase(0, dot + 1);
    }
    if (part.source.empty()) return false;
    while (take("|")) {
      Template::Filter filter;
      filter.name = read_word();
      if (!is_filter(filter.name)) return false;
      skip_space();
      if (at_ < text_.size() && text_[at_] == '\'') {
        if (!read_quoted(filter.argument)) return false;
        filter.quoted = true;
      } else {
        filter.argument = read_word();
      }
      part.filters.push_back(std::move(filter));
    }
    return take("}}");
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  bool take(std::string_view token) {
    skip_space();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  std::string read_word() {
    skip_space();
    const std::size_t from = at_;
    while (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != '|' && text_[at_] != '}') {
      ++at_;
    }
    return std::string(text_.substr(from, at_ - from));
  }

  bool read_quoted(std::string& out) {  // '' inside stands for one quote
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] != '\'') {
        out += text_[at_];
      } else if (text_.substr(at_, 2) == "''") {
        out += text_[at_++];
      } else {
        ++at_;
        return true;
      }
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

Result<Template> Template::parse(std::string_view text) { return TemplateParser(text).parse(); }

bool Template::constant() const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return part.source.empty(); });
}

std::optional<std::string> Template::render(const Scope& scope) const {
  std::string out;
  for (const Part& part : parts_) {
    if (part.source.empty()) {
      out += part.literal;
      continue;
    }
    const std::optional<std::string> value = evaluate(part, scope);
    if (!value) return std::nullopt;
    out += *value;
  }
  return out;
}

}  // namespace ba::scripted
