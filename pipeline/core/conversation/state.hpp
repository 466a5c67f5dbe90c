#pragma once
// SPDX-License-Identifier: Apache-2.0
// Everything one running job consists of, in parts. Changed by advance(), RunProtocol and RunLosses
// alone; the driver has it const. A state is rebuilt from the ledger's rows by resume(), never by
// replay.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/base/rare.hpp"
#include "pipeline/core/conversation/call_state.hpp"
#include "pipeline/core/conversation/history_messages.hpp"
#include "pipeline/core/conversation/run_profile.hpp"
#include "pipeline/core/job/outcome.hpp"
#include "pipeline/core/ledger/claim_records.hpp"
#include "pipeline/core/ledger/stored_job.hpp"
#include "pipeline/core/metrics/job_metrics.hpp"
#include "pipeline/core/skill/read_skill.hpp"

namespace ba {

/// What the skills that were active when a step began say of it.
struct SkillHold {
  std::optional<std::set<std::string>> allowed_tools;  ///< none: nothing is restricted
  std::string model;                                   ///< empty: the profile's

  friend bool operator==(const SkillHold&, const SkillHold&) = default;
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
  /// What the claim says of the job. Fixed for a run.
  struct Claim {
    LedgerJobId id;
    LedgerConversationId conversation;
    std::optional<AskingCall> asked_by;  ///< it is a sub-agent's
    int attempt = 1;
    bool after_crash = false;  ///< the attempt before this one ended in a crash
    WallTime created_at{};     ///< ClaimedJob::created_at: a copy's job may say when its source was
    WallTime first_claimed_at{};
    Milliseconds idle{0};  ///< ClaimedJob::idle
    std::string worker_version;
  };

  /// The conversation's messages, and what was done to keep them short.
  struct History {
    HistoryMessages messages;           ///< all, in order; the current step's results come last
    std::size_t earlier = 0;            ///< how many of them are of earlier jobs
    std::vector<std::string> asked_of;  ///< configured models of the job's replies, in order
    /// By how many tokens the results that stand here are shorter than as indented JSON.
    std::int64_t saved_tokens = 0;
    int compressions = 0;     ///< so far
    std::int64_t unread = 0;  ///< durable messages of the job that don't stand here
    std::int64_t copied = 0;  ///< those here that are of the job it was copied from
    StoredTally tally;        ///< as it was loaded
    std::vector<ReminderRow> reminders_unsaved;
    std::vector<CompressionRow> compressions_unsaved;
  };

  /// The round that is open, or comes next.
  struct Round {
    int number = 0;
    int step = 0;          ///< model replies so far
    bool started = false;  ///< its human message stands in the history
    bool stored = false;   ///< its row and human message are durable
    SteadyTime started_at{};
    int answer_repairs = 0;  ///< answers that were asked for again
    Usage usage;
  };

  /// Skills of the job, and what the active ones say of the current step.
  struct Skills {
    JobSkills known;
    SkillHold hold;                 ///< what the active ones say of the step
    std::vector<Message> injected;  ///< by the step's calls: they follow their observations
    std::map<std::string, Position> activated_at;  ///< active ones, by activation id
    std::set<std::string> stored;  ///< hashes of contents that are, or are being, written
    std::vector<MessageRow> opening_messages;  ///< follow the human message; until durable
    std::vector<SkillUsed> opening_uses;       ///< what the job activates by itself; until durable
    std::vector<std::string> uses;             ///< names of those that were activated, in order
  };

  /// What the job has used, with its sub-agents.
  struct Bill {
    JobTotals totals;
    int sub_agents = 0;  ///< how many the job has started
    std::vector<ToolCallMetrics> tool_uses;
    std::string last_model;  ///< "provider/model" of the last reply
    int wasted_here = 0;     ///< possibly paid calls lost, as counted by this incarnation
  };

  /// What providers said of the length of what they were sent. The last row of both may be in the
  /// commit that is in flight: the model is asked again after it.
  struct Context {
    std::vector<RefusedContextRow> refused;  ///< of the conversation, in order
    std::vector<ExactCountRow> counts;       ///< of the job, in order
    Position last_reply;                     ///< the newest that is durable or being written
  };

  /// Summaries of old rounds, which a model writes beside all else.
  struct Summaries {
    std::vector<SummaryRow> durable;  ///< what is sent may rely on them
    std::vector<SummaryRow> ended;    ///< not durable yet
    std::vector<SummaryRow> saving;   ///< in the commit that is in flight
    Rare<SummaryRow> out;             ///< a model is asked for it
  };

  /// What is under way, and how the job ends.
  struct Flow {
    bool model_in_flight = false;
    bool model_resting = false;  ///< its call waits until a lost try is durable
    bool commit_in_flight = false;
    Rare<Ending> ending;     ///< decided, but something in flight comes first
    bool finishing = false;  ///< the final transaction is being written
  };

  Claim claim;
  Job job;
  RunProfile profile;
  History history;
  Round round;
  std::vector<CallState> calls;  ///< of the current step, in order; empty between steps
  Skills skills;
  std::vector<Answer> answers;
  Bill bill;
  Context context;
  Summaries summaries;
  Flow flow;
};

}  // namespace ba
