#pragma once
// SPDX-License-Identifier: Apache-2.0
// A sub-agent's job: one that a tool call of another job asked for. It has a conversation, steps
// and limits of its own, publishes nothing, is run by whoever runs the job that asked for it, and
// goes back with that. Values and pure functions.

#include <optional>
#include <string>
#include <string_view>

#include "pipeline/core/job/job.hpp"
#include "pipeline/core/job/outcome.hpp"
#include "pipeline/core/ledger/claim_records.hpp"

namespace ba {

/// What job and conversation ids of sub-agents begin with; the rest of a conversation's is what a
/// model knows the agent by.
inline constexpr std::string_view kSubAgentPrefix = "sub-agent:";

struct SubAgentOrder {
  AskingCall asked_by;
  Job job;              ///< its job_id is the same for each run of the call
  std::string payload;  ///< canonical protobuf bytes of the job (contract/encode_job)
  /// Goes on with the job's conversation, which an earlier sub-agent of the asking job's
  /// conversation has left; else that is a new one.
  bool resumes = false;
};

/// How a sub-agent's job ended.
struct SubAgentEnd {
  Outcome outcome = Outcome::Completed;
  std::string answer;  ///< its last; empty: there is none
  std::optional<JobError> error;

  friend bool operator==(const SubAgentEnd&, const SubAgentEnd&) = default;
};

/// Where it stands: claimed, to be run, or ended by an earlier run of the call.
struct SubAgentStanding {
  std::optional<ClaimedJob> claimed;
  std::optional<SubAgentEnd> ended;
};

/// The newest job of a conversation that is to be resumed.
struct EarlierSubAgent {
  JobState state = JobState::Finished;
  Outcome outcome = Outcome::Completed;  ///< once it is finished
  std::string agent;
};

/// Whether a sub-agent may go on from it; null: there is none that the asking job may resume. The
/// errors are those of Ledger::begin_sub_agent, for a model to read.
Result<void> may_resume(const std::optional<EarlierSubAgent>& earlier, const SubAgentOrder& order);

/// The job that asks doesn't run (any more).
Error asking_job_gone(const SubAgentOrder& order);

/// The id of the sub-agent's job is another job's.
Error sub_agent_id_taken(const SubAgentOrder& order);

/// A person asks something of a sub-agent's job.
Error ask_its_job(const std::string& sub_agent, const std::string& job);

/// What a sub-agent's job ends with when the job that asked for it ends first.
JobError asking_job_ended();

}  // namespace ba
