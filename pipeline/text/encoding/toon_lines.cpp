// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/encoding/toon_lines.hpp"

#include <algorithm>
#include <charconv>

#include "pipeline/text/encoding/json_document.hpp"
#include "pipeline/text/encoding/toon_token.hpp"
#include "pipeline/text/message/json_text.hpp"

namespace ba {
namespace {

constexpr const char* kLength =
    "the length in a header must be digits without leading zeros: key[3], with ':' behind them for "
    "a keyed table, then '|' or a tab for another delimiter than ','";
constexpr const char* kBetween = "nothing may stand between a header's ']' and its '{' or ':'";

/// Reads one header from its '[' on.
class HeaderReader {
 public:
  HeaderReader(std::string_view content, std::size_t at) : text_(content), at_(at) {}

  bool read(ToonHeader& header) {
    if (!bracket(header)) return false;
    if (peek() == '{' && !fields(header.fields, header, 1)) return false;
    if (header.keyed && header.fields.empty())
      return fail("a keyed header needs its fields: key[2:]{a,b}:");
    if (!take(':')) return fail(kBetween);
    header.values = without_spaces(text_.substr(at_));
    return header.fields.empty() || header.values.empty() ||
           fail("behind a header with fields its line must end; the rows stand below it");
  }

  const std::string& problem() const { return problem_; }

 private:
  bool fail(const char* what) {
    if (problem_.empty()) problem_ = what;
    return false;
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void skip_spaces() { at_ = std::min(text_.find_first_not_of(' ', at_), text_.size()); }

  bool bracket(ToonHeader& header) {
    ++at_;
    const char* const begin = text_.data() + at_;
    const char* const end = text_.data() + text_.size();
    if (!is_json_digit(peek())) return fail(kLength);
    const auto length = std::from_chars(begin, end, header.count);
    if (length.ec != std::errc() || (*begin == '0' && length.ptr - begin > 1)) return fail(kLength);
    at_ += static_cast<std::size_t>(length.ptr - begin);
    header.keyed = take(':');
    if (peek() == '|' || peek() == '\t') header.delimiter = text_[at_++];
    return take(']') || fail(kLength);
  }

  /// The brace group at the place, with all groups in it.
  bool fields(std::vector<ToonField>& group, ToonHeader& header, int depth) {
    if (depth > kEncodedDepthMax) return fail("the groups of fields are nested too deeply");
    header.group_depth = std::max(header.group_depth, depth);
    ++at_;
    do {
      ToonField& field = group.emplace_back();
      if (!name(field.name, header.delimiter)) return false;
      header.name_bytes += field.name.size();
      if (peek() != '{')
        ++header.leaves;
      else if (!fields(field.group, header, depth + 1))
        return false;
    } while (take(header.delimiter));
    return take('}') || fail(
                            "a '}' is missing behind a header's fields, or its delimiter isn't "
                            "the one that its brackets name");
  }

  /// Spaces around a field's name are borne, as around each cell.
  bool name(std::string& name, char delimiter) {
    skip_spaces();
    const std::size_t begin = at_;
    if (take('"')) {
      while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
      at_ = std::min(at_ + 1, text_.size());
      auto text = read_toon_quoted(text_.substr(begin, at_ - begin), problem_);
      if (text) name = std::move(*text);
      skip_spaces();
      return text.has_value();
    }
    while (at_ < text_.size() && text_[at_] != delimiter && text_[at_] != '{' && text_[at_] != '}')
      ++at_;
    name = without_spaces(text_.substr(begin, at_ - begin));
    return is_toon_bare_key(name) ||
           fail("a field's name must be letters, digits, '_' and '.', or quoted");
  }

  std::string_view text_;
  std::size_t at_;
  std::string problem_;
};

}  // namespace

ToonLines::ToonLines(std::string_view text, int indent, bool strict)
    : rest_(text), indent_(static_cast<std::size_t>(indent)), strict_(strict) {
  advance();
}

void ToonLines::advance() {
  bool after_blank = false;
  while (!rest_.empty()) {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view raw = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    if (raw.ends_with('\r')) raw.remove_suffix(1);
    const std::size_t first = raw.find_first_not_of(' ');
    if (first != std::string_view::npos && raw[first] == '#') continue;
    if (raw.find_first_not_of(" \t") == std::string_view::npos) {
      after_blank = true;
      continue;
    }
    measure(raw);
    line_.after_blank = after_blank;
    has_line_ = true;
    return;
  }
  has_line_ = false;
}

/// A tab in front counts as one level where it is borne at all.
void ToonLines::measure(std::string_view raw) {
  const std::size_t first = raw.find_first_not_of(" \t");
  const auto tabs = static_cast<std::size_t>(
      std::count(raw.begin(), raw.begin() + static_cast<int>(first), '\t'));
  line_.content = without_spaces(raw.substr(first));
  line_.number = number_;
  const std::size_t depth = tabs + (first - tabs) / indent_;
  line_.depth = static_cast<int>(std::min<std::size_t>(depth, 4 * kEncodedDepthMax));
  line_.problem = nullptr;
  if (!strict_) return;
  if (tabs > 0)
    line_.problem = "a tab indents the line; indent with spaces";
  else if (first % indent_ != 0)
    line_.problem = "the line's indentation is no multiple of the indent size";
}

ToonHeaderReading read_toon_header(std::string_view content) {
  const std::size_t bracket = find_unquoted(content, '[', ':');
  ToonHeaderReading reading;
  if (bracket == std::string_view::npos || content[bracket] != '[') return reading;
  if (find_unquoted(content, ':', ':', bracket) == std::string_view::npos) return reading;
  ToonHeader header;
  const std::string_view key = content.substr(0, bracket);
  if (key.starts_with('"')) {
    header.key = read_toon_quoted(key, reading.problem);
    if (!header.key) return reading;
  } else if (!key.empty()) {
    if (!is_toon_bare_key(key)) return reading;
    header.key = key;
  }
  HeaderReader reader(content, bracket);
  if (reader.read(header))
    reading.header = std::move(header);
  else
    reading.problem = reader.problem();
  return reading;
}

}  // namespace ba
