#pragma once
// SPDX-License-Identifier: Apache-2.0
// Everything one running job consists of. Changed by advance() alone; the driver only reads it to
// perform actions. A state is rebuilt from the ledger's rows by resume(), never by replay.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/core/conversation/run_profile.hpp"
#include "pipeline/core/job/outcome.hpp"
#include "pipeline/core/ledger/claim_records.hpp"
#include "pipeline/core/ledger/stored_job.hpp"
#include "pipeline/core/metrics/job_metrics.hpp"
#include "pipeline/core/skill/read_skill.hpp"

namespace ba {

/// How far one tool call of the current step is.
enum class CallPhase {
  Intended,    ///< durable with the model's reply; not started
  Starting,    ///< its start record is being written (calls that are not pure)
  Startable,   ///< the start record is durable (or none is needed): run it now
  Running,     ///< the driver runs it
  Unresolved,  ///< what became of it is not known: a person is to say
  Finished,    ///< has its result
  Saving,      ///< the result is being written
  Saved,       ///< the result is durable
};

/// What a call does to the skills of its conversation: durable with its outcome.
struct SkillEffect {
  std::vector<MessageRow> injected;
  std::optional<SkillUsed> used;
  std::optional<SkillDone> done;
};

/// What the skills that were active when a step began say of it.
struct SkillHold {
  std::optional<std::set<std::string>> allowed_tools;  ///< none: nothing is restricted
  std::string model;                                   ///< empty: the profile's

  friend bool operator==(const SkillHold&, const SkillHold&) = default;
};

struct CallState {
  Position position;
  ToolCall call;
  EffectClass effect = EffectClass::Once;
  CallPhase phase = CallPhase::Intended;
  bool maybe_done = false;             ///< an earlier attempt started it and told no outcome
  std::string begun_version;           ///< of the tool, where maybe_done
  std::optional<ToolResult> result;    ///< from Finished on (empty for one loaded as Saved)
  std::optional<ToolMessage> message;  ///< its observation, from Finished on
  SkillEffect skill;                   ///< from Finished until it is being written
  std::int64_t saved_tokens = 0;       ///< of its result, from Finished on
};

/// What the dead letter of a job that ends without having been run to its end carries.
struct UnrunRemains {
  std::string payload;  ///< the job as it is stored, readable or not
  ConversationExcerpt conversation;
};

/// Why a job ends before its last answer.
struct Ending {
  Outcome outcome = Outcome::Failed;
  JobError error;
  std::optional<UnrunRemains> dead_letter;  ///< beside the result, where given
};

struct ConversationState {
  Job job;
  LedgerJobId id;
  LedgerConversationId conversation;
  std::optional<AskingCall> asked_by;  ///< it is a sub-agent's
  int attempt = 1;
  bool after_crash = false;  ///< the attempt before this one ended in a crash
  WallTime created_at{};     ///< ClaimedJob::created_at: a copy's job may say when its source was
  WallTime first_claimed_at{};
  Milliseconds idle{0};  ///< ClaimedJob::idle
  std::string worker_version;
  RunProfile profile;

  std::vector<Message> history;  ///< all messages, in order; the current step's results come last
  std::size_t earlier_messages = 0;   ///< how many of them are of earlier jobs
  std::vector<std::string> asked_of;  ///< configured models of the job's replies, in order

  int round = 0;
  int step = 0;                ///< of the current round: model replies so far
  bool round_stored = false;   ///< the round's row and human message are durable
  bool round_started = false;  ///< its human message stands in history
  SteadyTime round_started_at{};
  int answer_repairs = 0;  ///< answers of the round that were asked for again
  Usage round_usage;
  std::vector<CallState> calls;  ///< of the current step, in order; empty between steps

  JobSkills skills;
  SkillHold hold;                 ///< in the current step
  std::vector<Message> injected;  ///< by the current step: they follow its observations
  std::map<std::string, Position> activated_at;  ///< active ones, by activation id
  std::set<std::string> skills_stored;       ///< hashes of contents that are, or are being, written
  std::vector<MessageRow> opening_messages;  ///< after the human message; until they are durable
  std::vector<SkillUsed> opening_skills;     ///< that the job activates; likewise
  std::vector<std::string> skill_uses;       ///< names of those that were activated, in order

  std::vector<Answer> answers;
  JobTotals totals;    ///< with what its sub-agents used
  int sub_agents = 0;  ///< that it has had
  /// By how many tokens the results that stand in the history are shorter than as indented JSON.
  std::int64_t saved_in_history = 0;
  std::vector<ToolCallMetrics> tool_uses;
  int compressions = 0;              ///< of the history so far
  std::int64_t messages_unread = 0;  ///< durable ones of the job that don't stand in the history
  std::int64_t messages_copied = 0;  ///< those there that are of the job it was copied from
  StoredTally tally;                 ///< as it was loaded
  Position last_reply;               ///< the newest one that is durable or being written
  std::vector<ReminderRow> reminders_unsaved;
  std::vector<CompressionRow> compressions_unsaved;
  /// Of the conversation, in order. The last may be in the commit that is in flight: the model is
  /// asked again after it.
  std::vector<RefusedContextRow> refused_contexts;
  std::vector<ExactCountRow> exact_counts;   ///< of the job, in order; the last one likewise
  std::vector<SummaryRow> summaries;         ///< durable ones: what is sent may rely on them
  std::vector<SummaryRow> summaries_ended;   ///< not durable yet
  std::vector<SummaryRow> summaries_saving;  ///< in the commit that is in flight
  std::optional<SummaryRow> summary_out;     ///< a model is asked for it
  std::string last_model;                    ///< "provider/model" of the last reply

  int wasted_here = 0;  ///< possibly paid calls lost, as counted by this incarnation
  bool model_in_flight = false;
  bool model_resting = false;  ///< its call waits until a lost try is durable
  bool commit_in_flight = false;
  std::optional<Ending> ending;  ///< decided, but something in flight comes first
  bool finishing = false;        ///< the final transaction is being written
};

}  // namespace ba
