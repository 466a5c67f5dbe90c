// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/conversation/answer_repair.hpp"

#include <algorithm>

#include "pipeline/core/conversation/make_delta.hpp"
#include "pipeline/text/answer/answer.hpp"

namespace ba {
namespace {

struct HiddenRequest {
  std::string text;
  std::map<std::string, std::string> flags;
};

void add_request(ConversationState& state, Delta& delta, HiddenRequest request,
                 const Moment& moment) {
  HumanMessage message;
  message.meta = meta_at(state, {state.round.number, state.round.step, kAnswerRepairIndex}, moment);
  message.meta.additional_kwargs = std::move(request.flags);
  message.meta.additional_kwargs.insert({{"isMeta", "true"}, {kAnswerRepairFlag, "true"}});
  message.text = std::move(request.text);
  delta.steps.back().answer_repair = message;
  state.history.messages.push_back(std::move(message));
}

}  // namespace

Result<std::string> read_final_answer(const ConversationState& state, const std::string& text) {
  if (state.job.answer_schema.empty()) return text;
  return read_answer(state.job.answer_schema, text);
}

void add_answer_repair(ConversationState& state, Delta& delta, const std::string& violation,
                       const Moment& moment) {
  add_request(state, delta, {answer_repair_text(violation), {}}, moment);
}

void add_go_on(ConversationState& state, Delta& delta, TurnState turn, const Moment& moment) {
  if (turn == TurnState::Empty) return add_request(state, delta, {kAfterNothingText, {}}, moment);
  add_request(state, delta, {kAfterPauseText, {{kTurnPausedFlag, "true"}}}, moment);
}

std::string text_of_turn(const ConversationState& state) {
  std::string text;
  bool paused = true;  // the newest reply counts in any case
  for (auto message = state.history.messages.rbegin(); message != state.history.messages.rend();
       ++message) {
    if (const auto* reply = std::get_if<AiMessage>(&*message)) {
      const bool empty = reply->text.find_first_not_of(" \t\r\n") == std::string::npos;
      if (!reply->tool_calls.empty() || !(paused || empty)) break;
      if (!empty) text = reply->text + text;
      paused = false;
      continue;
    }
    const auto& flags = meta_of(*message).additional_kwargs;
    if (!std::holds_alternative<HumanMessage>(*message) || !flags.contains("isMeta")) break;
    paused = paused || flags.contains(kTurnPausedFlag);
  }
  return text;
}

int answer_repairs_of(const std::vector<MessageRow>& messages, int round) {
  return static_cast<int>(
      std::count_if(messages.begin(), messages.end(), [&](const MessageRow& row) {
        return row.position.round == round && row.position.index == kAnswerRepairIndex &&
               meta_of(row.message).additional_kwargs.contains(kAnswerRepairFlag);
      }));
}

}  // namespace ba
