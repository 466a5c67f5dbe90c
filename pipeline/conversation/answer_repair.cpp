// SPDX-License-Identifier: Apache-2.0
#include "pipeline/conversation/answer_repair.hpp"

#include <algorithm>

#include "pipeline/answer/answer.hpp"
#include "pipeline/answer/answer_texts.hpp"

namespace ba {

Result<std::string> read_final_answer(const ConversationState& state, const std::string& text) {
  if (state.job.answer_schema.empty()) return text;
  return read_answer(state.job.answer_schema, text);
}

void add_answer_repair(ConversationState& state, Delta& delta, const std::string& violation,
                       const Moment& moment) {
  const Job& job = state.job;
  HumanMessage message;
  message.meta = message_meta({job.job_id, job.conversation_id, job.user_id},
                              {state.round, state.step, kAnswerRepairIndex}, moment.wall);
  message.meta.additional_kwargs = {{"isMeta", "true"}, {kAnswerRepairFlag, "true"}};
  message.text = answer_repair_text(violation);
  delta.steps.back().answer_repair = message;
  state.history.emplace_back(std::move(message));
}

int answer_repairs_of(const std::vector<MessageRow>& messages, int round) {
  return static_cast<int>(
      std::count_if(messages.begin(), messages.end(), [&](const MessageRow& row) {
        return row.position.round == round && row.position.index == kAnswerRepairIndex &&
               meta_of(row.message).additional_kwargs.contains(kAnswerRepairFlag);
      }));
}

}  // namespace ba
