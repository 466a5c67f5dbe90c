// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/context/round_summary.hpp"

#include <algorithm>
#include <map>

#include "pipeline/base/joined.hpp"
#include "pipeline/base/lower_case.hpp"
#include "pipeline/core/context/history_rounds.hpp"
#include "pipeline/core/tool/output_level.hpp"
#include "pipeline/text/message/json_text.hpp"

namespace ba {
namespace {

constexpr std::size_t kOutcomesMax = 10;
constexpr std::size_t kDecisionsMax = 5;
constexpr std::size_t kErrorsMax = 5;
constexpr std::size_t kLineMax = 100;     // code points
constexpr std::size_t kOutcomeMax = 200;  // of what a tool found

/// On one line, cut to `most` code points.
std::string one_line(std::string_view text, std::size_t most) {
  std::string line;
  bool gap = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!blank && gap && !line.empty()) line += ' ';
    if (!blank) line += c;
    gap = blank;
    if (line.size() > 4 * most) break;
  }
  return cut_code_points(line, most);
}

/// Where the sentence that begins at `at` ends: behind its full stop, or at the line's end.
std::size_t sentence_end(std::string_view text, std::size_t at) {
  for (; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (rest.front() == '\n') return at + 1;
    for (const char* stop : {"。", "！", "？"})
      if (rest.starts_with(stop)) return at + 3;
    const bool stop = rest.front() == '.' || rest.front() == '!' || rest.front() == '?';
    if (stop && (rest.size() == 1 || rest[1] == ' ' || rest[1] == '\n')) return at + 1;
  }
  return at;
}

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

/// Whether a word stands in a text, both in lower case: a word of letters not as part of another.
bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_letter(word.front()) || !is_letter(text[at - 1]);
    const bool ends = end == text.size() || !is_letter(word.back()) || !is_letter(text[end]);
    if (begins && ends) return true;
  }
  return false;
}

/// What is known of a round, line by line.
class Summary {
 public:
  explicit Summary(const std::vector<std::string>& decision_words) : words_(decision_words) {}

  void operator()(const SystemMessage&) {}
  void operator()(const HumanMessage& message) {
    if (request_.empty()) request_ = one_line(message.text, kLineMax);
  }
  void operator()(const AiMessage& message) {
    for (const ToolCall& call : message.tool_calls) names_[call.id.value] = call.name;
    for (const ToolCall& call : message.tool_calls)
      if (std::ranges::find(tools_, call.name) == tools_.end()) tools_.push_back(call.name);
    for (std::string& decision :
         decisions_in(message.text, words_, kDecisionsMax - decisions_.size()))
      decisions_.push_back(std::move(decision));
    if (message.tool_calls.empty()) answer_ = one_line(message.text, kLineMax);
  }
  void operator()(const ToolMessage& message) {
    const bool good = message.status == ToolStatus::Success;
    const std::string& name = name_of(message);
    outcomes_.push_back(name + ": " + (good ? "✓ " : "✗ ") +
                        one_line(message.content, kOutcomeMax));
    if (!good && errors_.size() < kErrorsMax)
      errors_.push_back(name + ": " + one_line(message.content, kLineMax));
  }

  std::string text(const std::string& round_id) const {
    std::string text = "Round " + round_id + ":";
    const auto line = [&](const char* name, const std::string& value) {
      if (!value.empty()) text += std::string("\n  ") + name + ": " + value;
    };
    line("Request", request_);
    if (!tools_.empty()) line("Tools", "[" + joined(tools_) + "]");
    // What was found last is what the round ended with.
    list(text, "Tool Outcomes", outcomes_, kOutcomesMax);
    list(text, "Key Decisions", decisions_, kDecisionsMax);
    line("Errors", joined(errors_, "; "));
    line("Answer", answer_);
    return text;
  }

 private:
  /// A result from elsewhere may leave the name to its call.
  const std::string& name_of(const ToolMessage& message) const {
    const auto call = names_.find(message.tool_call_id.value);
    return message.tool_name.empty() && call != names_.end() ? call->second : message.tool_name;
  }

  static void list(std::string& text, const char* name, const std::vector<std::string>& all,
                   std::size_t most) {
    if (all.empty()) return;
    text += std::string("\n  ") + name + ":";
    for (std::size_t i = all.size() - std::min(all.size(), most); i < all.size(); ++i)
      text += "\n    - " + all[i];
  }

  const std::vector<std::string>& words_;
  std::string request_;
  std::vector<std::string> tools_;
  std::map<std::string, std::string> names_;  ///< of tools, by the ids of their calls
  std::vector<std::string> outcomes_;
  std::vector<std::string> decisions_;
  std::vector<std::string> errors_;
  std::string answer_;
};

}  // namespace

std::vector<std::string> decisions_in(std::string_view text,
                                      const std::vector<std::string>& decision_words,
                                      std::size_t most) {
  std::vector<std::string> decisions;
  for (std::size_t at = 0; at < text.size() && decisions.size() < most;) {
    const std::size_t end = sentence_end(text, at);
    const std::string_view sentence = text.substr(at, end - at);
    const std::string lower = lower_case(sentence);
    if (std::ranges::any_of(decision_words,
                            [&](const std::string& word) { return has_word(lower, word); }))
      decisions.push_back(one_line(sentence, kLineMax));
    at = end;
  }
  return decisions;
}

SystemMessage round_summary(const std::string& round_id, std::span<const CountedMessage> messages,
                            const std::vector<std::string>& decision_words) {
  Summary summary(decision_words);
  SystemMessage made;
  for (const CountedMessage& one : messages) {
    if (!is_hidden(*one.message)) std::visit(summary, *one.message);
    made.meta.conversation_id = meta_of(*one.message).conversation_id;
    made.meta.timestamp = meta_of(*one.message).timestamp;
  }
  made.meta.round_id = round_id;
  made.meta.message_id = MessageId(round_id + "/summary");
  made.meta.additional_kwargs["compressed"] = "true";
  append_json_string(made.meta.additional_kwargs["original_round_id"], round_id);
  made.text = summary.text(round_id);
  return made;
}

}  // namespace ba
