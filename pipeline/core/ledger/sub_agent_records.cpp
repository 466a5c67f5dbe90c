// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/ledger/sub_agent_records.hpp"

namespace ba {
namespace {

/// Its conversation is whole: each call of it has its answer.
bool may_go_on(Outcome outcome) {
  switch (outcome) {
    case Outcome::Completed:
    case Outcome::StepLimit:
    case Outcome::TokenLimit:
    case Outcome::CostLimit:
    case Outcome::DeadlineExceeded:
    case Outcome::Refused:
    case Outcome::Truncated:
    case Outcome::ModelError:
      return true;
    case Outcome::InvalidJob:
    case Outcome::Cancelled:
    case Outcome::Poisoned:
    case Outcome::Failed:
      return false;
  }
  return false;
}

std::string agent_named(const SubAgentOrder& order) {
  std::string name = order.job.conversation_id.value;
  if (name.starts_with(kSubAgentPrefix)) name.erase(0, kSubAgentPrefix.size());
  return "sub-agent '" + name + "'";
}

}  // namespace

Result<void> may_resume(const std::optional<EarlierSubAgent>& earlier, const SubAgentOrder& order) {
  const std::string agent = agent_named(order);
  if (!earlier)
    return make_error(ErrorCode::NotFound, "this conversation has no " + agent +
                                               "; leave agent_id out to start a new one");
  if (earlier->state != JobState::Finished)
    return make_error(ErrorCode::Conflict, agent +
                                               " is at work for another call; wait for its answer "
                                               "before you resume it");
  if (earlier->agent != order.job.agent)
    return make_error(ErrorCode::InvalidArgument, agent + " is of type '" + earlier->agent +
                                                      "', not '" + order.job.agent + "'");
  if (!may_go_on(earlier->outcome))
    return make_error(ErrorCode::InvalidArgument, agent + " can't go on: it ended as " +
                                                      std::string(to_string(earlier->outcome)) +
                                                      "; leave agent_id out to start a new one");
  return {};
}

Error asking_job_gone(const SubAgentOrder& order) {
  return make_error(ErrorCode::Conflict, "job " + std::to_string(order.asked_by.job.value) +
                                             ", which asks for a sub-agent, does not run any more");
}

Error sub_agent_id_taken(const SubAgentOrder& order) {
  return make_error(ErrorCode::Conflict,
                    "there is another job with the id '" + order.job.job_id.value + "'");
}

Error ask_its_job(const std::string& sub_agent, const std::string& job) {
  return make_error(ErrorCode::Conflict, "job " + sub_agent + " is a sub-agent of job " + job +
                                             " and goes with it: ask that of job " + job);
}

JobError asking_job_ended() {
  return {"job", "CANCELLED", "the job that asked for this sub-agent ended"};
}

}  // namespace ba
