// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/react_text/react_reply.hpp"

#include <algorithm>
#include <array>

#include "pipeline/text/message/json_view.hpp"
#include "worker/llm/failure_table.hpp"
#include "worker/llm/message_parts.hpp"
#include "worker/llm/reply_checks.hpp"

namespace ba::llm {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::array<std::string_view, 4> kLabels{kThoughtLabel, kActionLabel, kObservationLabel,
                                                  kAnswerLabel};

std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(kBlanks);
  if (start == text.npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) + 1 - start);
}

/// The label that a line begins with, blanks before it aside; "" if none.
std::string_view label_of(std::string_view line) {
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t\r")));
  for (const std::string_view label : kLabels)
    if (line.substr(0, label.size()) == label) return label;
  return {};
}

ReactAction action_of(std::string_view text) {
  const std::size_t end = text.find_first_of(" \t\r\n{");
  if (end == text.npos) return {text, {}};
  return {text.substr(0, end), trimmed(text.substr(end))};
}

/// Takes a text apart, line by line. An answer goes on to the end, or to an observation.
class Sections {
 public:
  explicit Sections(std::string_view text) : text_(text) {}

  ReactText read() {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      take_line(at, end);
      at = end + 1;
    }
    close(text_.size());
    return std::move(found_);
  }

  /// What stood before the first label.
  std::string_view stray() const { return stray_; }

 private:
  /// A label may follow `Thought:` at once: what would be an Action is none for being thought
  /// first.
  void take_line(std::size_t at, std::size_t end) {
    while (true) {
      const std::string_view label = label_of(text_.substr(at, end - at));
      if (label == kObservationLabel) text_ = text_.substr(0, at);  // the model's invention
      if (label.empty() || label == kObservationLabel || label_ == kAnswerLabel) return;
      close(at);
      label_ = label;
      begin_ = at = text_.find(label, at) + label.size();
      if (label != kThoughtLabel) return;
    }
  }

  void close(std::size_t end) {
    const std::string_view part = trimmed(text_.substr(begin_, end - begin_));
    begin_ = end;
    if (label_.empty()) stray_ = part;
    if (label_ == kActionLabel) found_.actions.push_back(action_of(part));
    if (label_ == kAnswerLabel) found_.answer = part;
    if (label_ != kThoughtLabel || part.empty()) return;
    if (!found_.thought.empty()) found_.thought += "\n\n";
    found_.thought += part;
  }

  std::string_view text_;
  std::string_view label_;
  std::size_t begin_ = 0;  ///< of the part that is open
  ReactText found_;
  std::string_view stray_;
};

Error malformed_text(const std::string& what, std::string_view text) {
  return malformed_reply(what + ": " + readable(text));
}

Result<void> check(const ReactAction& action) {
  if (action.tool.empty()) return malformed_reply("an Action names no tool");
  if (action.arguments.empty()) return {};
  const auto json = JsonView::parse(action.arguments);
  if (json && json->is(JsonKind::Object)) return {};
  return malformed_text(
      "the arguments of the Action " + std::string(action.tool) + " are not one JSON object",
      action.arguments);
}

/// The only ids that are made on this side: such a model gives none.
ToolCallId call_id(const ReplyPlace& place, std::size_t n) {
  return ToolCallId("call_" + std::to_string(place.round) + "_" + std::to_string(place.step) + "_" +
                    std::to_string(n));
}

void take(const ReactText& found, AiMessage& message, const ProtocolContext& context) {
  std::string text;
  if (found.actions.empty()) {
    add_paragraph(message.thinking, found.thought);
    text = found.answer.value_or("");
  } else {
    text = found.thought;
  }
  for (const ReactAction& action : found.actions) {
    if (action.tool.empty()) continue;  // only a reply that was cut has one
    ToolCall& call = message.tool_calls.emplace_back();
    call.id = call_id(context.place, message.tool_calls.size() - 1);
    call.name = action.tool;
    set_arguments(call, std::string(action.arguments));
    bound_arguments(call, context.limits);
  }
  message.text = std::move(text);
}

}  // namespace

Result<ReactText> parse_react(std::string_view text) {
  Sections sections(text);
  ReactText found = sections.read();
  if (!sections.stray().empty())
    return malformed_text("text without a label (Thought:, Action:, Final Answer:)",
                          sections.stray());
  if (found.answer && !found.actions.empty())
    return malformed_reply("both an Action and a Final Answer");
  if (!found.answer && found.actions.empty())
    return malformed_reply("neither an Action nor a Final Answer");
  for (const ReactAction& action : found.actions)
    if (auto checked = check(action); !checked) return checked.error();
  return found;
}

ReactText parse_cut_react(std::string_view text) {
  Sections sections(text);
  ReactText found = sections.read();
  if (found.thought.empty()) found.thought = sections.stray();
  return found;
}

bool calls_in_text(const ProtocolContext& context) {
  return context.model.tool_calling == ToolCalling::Text && context.place.has_tools;
}

Result<void> read_react_reply(ModelReply& reply, const ProtocolContext& context) {
  AiMessage& message = reply.message;
  const std::string text = message.text;
  if (reply.stop == StopReason::MaxTokens) {
    take(parse_cut_react(text), message, context);
    return {};
  }
  if (reply.stop != StopReason::EndTurn) return {};
  const auto found = parse_react(text);
  if (!found) return found.error();
  take(*found, message, context);
  if (!message.tool_calls.empty()) reply.stop = StopReason::ToolUse;
  return {};
}

}  // namespace ba::llm
