// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/conversations/history_compression.hpp"

#include "pipeline/core/context/history_rounds.hpp"
#include "pipeline/text/message/langchain_json.hpp"
#include "pipeline/text/message/validate.hpp"
#include "worker/cli/program/wording.hpp"

namespace ba {
namespace {

class CounterMeter final : public TokenMeter {
 public:
  explicit CounterMeter(const CompressionQuestion& question) : question_(question) {}

  std::int64_t count(const std::string&, std::string_view text) override {
    return question_.count(text);
  }
  std::int64_t margin_millionths(const std::string&) const override {
    return question_.margin_millionths;
  }

 private:
  const CompressionQuestion& question_;
};

void give_ids(std::vector<Message>& history) {
  int round = 0;
  for (std::size_t i = 0; i < history.size(); ++i) {
    MessageMeta& meta = meta_of(history[i]);
    if (meta.message_id.empty()) meta.message_id = MessageId("message-" + std::to_string(i + 1));
    if (std::holds_alternative<HumanMessage>(history[i]) && !is_hidden(history[i])) ++round;
    if (meta.round_id.empty() && round > 0) meta.round_id = std::to_string(round);
  }
}

/// The history is told without an agent, whose model would do it.
std::string writer_of(const SummaryRequest& wanted) {
  return wanted.model.empty() ? "the agent's model" : "\"" + wanted.model + "\"";
}

}  // namespace

Result<std::vector<Message>> read_exported_history(std::string_view json) {
  Result<std::vector<Message>> history = messages_from_json(json);
  if (!history) return history;
  give_ids(*history);
  if (const auto valid = validate_history(*history, HistoryEnd::Answered); !valid)
    return valid.error();
  return history;
}

HistoryCompression compressed_for(const std::vector<Message>& history,
                                  const CompressionQuestion& question) {
  CounterMeter meter(question);
  ContextFrame frame;
  frame.model = question.model;
  frame.window = question.window;
  frame.earlier_messages = history.size();
  ContextView view(frame, question.rules, &meter);
  HistoryCompression result;
  for (const Message* message : view.messages({history})) result.messages.push_back(*message);
  result.events = view.take_events();
  if (const SummaryRequest* wanted = view.wanted_summary())
    result.summary = "a worker would have " + writer_of(*wanted) + " write a summary up to round " +
                     wanted->round_id + ", estimated at " + thousands(wanted->estimate_tokens) +
                     " tokens; here extracts stand for it";
  for (const Message& message : history) result.tokens += message_tokens(message, question.count);
  return result;
}

std::string describe(const CompressionEvent& event) {
  std::string text(name_of(kCompressionModeNames, event.mode));
  text += ": " + thousands(static_cast<std::int64_t>(event.messages_before)) + " messages, " +
          thousands(event.tokens_before) + " tokens → " +
          thousands(static_cast<std::int64_t>(event.messages_after)) + " messages, " +
          thousands(event.tokens_after) + " tokens";
  if (!event.missed.empty()) text += "; the target was missed: " + event.missed;
  return text;
}

}  // namespace ba
