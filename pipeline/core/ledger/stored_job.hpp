#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a job is resumed from, or ended with where it cannot be. Values.

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/core/job/job.hpp"
#include "pipeline/core/ledger/delta.hpp"

namespace ba {

struct StoredToolCall {
  Position position;
  ToolCallId tool_call_id;
  std::string tool_name;
  std::string tool_version;
  std::string parameters;
  EffectClass effect = EffectClass::Once;
  ToolCallState state = ToolCallState::Intended;
  int retry_count = 0;
  Milliseconds duration{0};
  bool cache_hit = false;
  std::string note;         ///< of the result; empty: there is none
  bool copied = false;      ///< it was made in the job that this one was copied from
  std::int64_t tokens = 0;  ///< of arguments and observation, by its telemetry; 0: it has none
  std::int64_t saved_tokens = 0;  ///< as ToolResult has them

  friend bool operator==(const StoredToolCall&, const StoredToolCall&) = default;
};

struct StoredSkillUse {
  SkillUsed used;                ///< content: of the first use of a hash only
  std::optional<int> done_step;  ///< in which the skill was ended; none: not before its round

  friend bool operator==(const StoredSkillUse&, const StoredSkillUse&) = default;
};

struct StoredRound {
  int round = 0;
  RoundStatus status = RoundStatus::InProgress;
  std::string final_answer;
  Usage usage;
  std::int64_t cost_micro_usd = 0;
  bool cost_known = true;
  int steps = 0;
  Savings savings{};
  std::string last_model;       ///< "provider/model" of the last reply; empty: there is none
  Milliseconds idle_before{0};  ///< as of RoundOpened

  friend bool operator==(const StoredRound&, const StoredRound&) = default;
};

/// What all sub-agents of a job used, as persisted.
struct SubAgentUse {
  int agents = 0;
  Spending spent;

  friend bool operator==(const SubAgentUse&, const SubAgentUse&) = default;
};

/// What a job's report counts that its other rows don't say.
struct StoredTally {
  int compressions = 0;             ///< of the job's history so far
  std::int64_t messages = 0;        ///< of this job, those that are copies left out
  int copied_rounds = 0;            ///< the whole rounds of the job that are a copy
  int copied_step = -1;             ///< of the next one, the last; -1: not even its question
  bool opens_conversation = false;  ///< no job before it came to a round

  bool is_copy(const Position& position) const {
    if (position.round != copied_rounds) return position.round < copied_rounds;
    return position.step <= copied_step;
  }

  friend bool operator==(const StoredTally&, const StoredTally&) = default;
};

/// Everything needed to go on with a job: the conversation's messages and this job's own rows.
struct StoredJob {
  std::vector<Message> history;           ///< of earlier jobs of the conversation, in order
  std::vector<MessageRow> messages;       ///< of this job, in order of position
  std::vector<StoredRound> rounds;        ///< of this job, in order
  std::vector<StoredToolCall> calls;      ///< of this job, in order of position
  int wasted_model_calls = 0;             ///< recorded so far, all attempts
  int conversation_rounds = 0;            ///< rounds of earlier jobs
  std::int64_t earlier_saved_tokens = 0;  ///< ToolResult::saved_tokens of the history, summed
  SubAgentUse sub_agents;                 ///< of this job
  std::vector<StoredSkillUse> skills;     ///< of this job, in order of position
  std::vector<SummaryRow> summaries;      ///< of this job, in order of position
  std::vector<RefusedContextRow>
      refused_contexts;                     ///< of the conversation up to this job, in order
  std::vector<ExactCountRow> exact_counts;  ///< of this job, in order of position
  StoredTally tally;

  friend bool operator==(const StoredJob&, const StoredJob&) = default;
};

/// What is stored of a job that is the first to come to a round in a conversation without a
/// history, and that nobody ran before (ClaimedJob::fresh).
inline StoredJob fresh_job() {
  StoredJob stored;
  stored.tally.opens_conversation = true;
  return stored;
}

/// One stored message as it stands in the ledger, unread.
struct ExcerptMessage {
  std::string json;                 ///< LangChain form; empty when it was too long
  std::int64_t bytes_left_out = 0;  ///< of a message that was too long

  friend bool operator==(const ExcerptMessage&, const ExcerptMessage&) = default;
};

/// The end of a conversation, bounded by bytes: the newest messages that fit, in order. A message
/// longer than a quarter of the bound keeps its place without its text.
struct ConversationExcerpt {
  std::vector<ExcerptMessage> messages;
  std::int64_t messages_left_out = 0;  ///< older ones
  std::string unreadable;              ///< why the conversation could not be read; else empty

  friend bool operator==(const ConversationExcerpt&, const ConversationExcerpt&) = default;
};

/// What a job that can't be resumed is ended with. Reading it takes a bounded amount of memory and
/// looks neither into the payload nor into messages.
struct JobRemains {
  TenantId tenant;
  JobId job_id;
  ConversationId conversation_id;
  std::string user_id;
  Lane lane = Lane::Normal;
  WallTime created_at{};
  std::vector<StoredRound> rounds;    ///< as in StoredJob
  std::vector<StoredToolCall> calls;  ///< as in StoredJob, without their parameters and notes
  int wasted_model_calls = 0;
  SubAgentUse sub_agents;
  std::vector<SummaryRow> summaries;   ///< as in StoredJob, without their texts
  std::vector<StoredSkillUse> skills;  ///< as in StoredJob, without contents
  StoredTally tally;
  ConversationExcerpt conversation;
};

}  // namespace ba
