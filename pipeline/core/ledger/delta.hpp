#pragma once
// SPDX-License-Identifier: Apache-2.0
// What one step of a job adds. Appending the same delta twice changes nothing, so an append whose
// answer was lost is simply repeated. Values.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/base/ids.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/core/job/outcome.hpp"
#include "pipeline/core/ledger/context_records.hpp"
#include "pipeline/core/ledger/outbox_records.hpp"
#include "pipeline/core/tool/tool.hpp"
#include "pipeline/text/message/message.hpp"
#include "pipeline/text/message/position.hpp"

namespace ba {

struct MessageRow {
  Position position;
  Message message;

  friend bool operator==(const MessageRow&, const MessageRow&) = default;
};

struct RoundOpened {
  int round = 0;
  std::string round_id;
  HumanMessage message;         ///< position (round, 0, 0)
  Milliseconds idle_before{0};  ///< how long its job had been idle (ClaimedJob::idle) when it came
};

struct StepReplied {
  int round = 0;
  int step = 0;
  AiMessage message;  ///< position (round, step, 0); its tool calls are intended by this row
  std::optional<HumanMessage> answer_repair;  ///< position (round, step, 1), hidden: its answer
                                              ///< doesn't fit, and a better one is asked for
  std::string stop_reason;
  std::string provider;
  std::string model;
  std::string provider_request_id;
  std::string request_hash;
  std::optional<std::int64_t> cost_micro_usd;
  std::optional<std::int64_t> estimated_input_tokens;  ///< before it was sent; none: not counted
  int tries = 1;
  int wasted_calls = 0;  ///< of these tries; Delta::wasted_model_calls has them too
  Milliseconds latency{0};
  Savings savings{};            ///< of this call, in tokens and, where it is `priced`, in money
  bool savings_priced = false;  ///< a price was known
};

struct ToolCallIntended {
  Position position;
  ToolCallId tool_call_id;
  std::string tool_name;
  std::string tool_version;
  std::string parameters;
  EffectClass effect = EffectClass::Once;
};

struct ToolCallFinished {
  Position position;
  ToolResult result;
  ToolMessage message;  ///< the observation, at the same position
};

/// A call that read a skill or activated one, or a skill that the job itself activates.
struct SkillUsed {
  Position position;          ///< of the call; of a job's own: (round, 0, its number from 1)
  std::string activation_id;  ///< empty: it was only read
  std::string skill;
  std::string hash;
  std::string content;  ///< skill_json(), kept by its hash; empty: this job has stored it already
  int depth = 0;        ///< of the stack with it, from 1; 0: it was only read

  friend bool operator==(const SkillUsed&, const SkillUsed&) = default;
};

/// An activation is over before its round is.
struct SkillDone {
  Position used;  ///< position of its SkillUsed
  int step = 0;   ///< in which it was ended

  friend bool operator==(const SkillDone&, const SkillDone&) = default;
};

enum class RoundStatus { Pending, InProgress, Completed, Error };
std::string_view to_string(RoundStatus status);
std::optional<RoundStatus> parse_round_status(std::string_view text);

struct RoundClosed {
  int round = 0;
  RoundStatus status = RoundStatus::Completed;
  std::string final_answer;
  Usage usage;
  Milliseconds latency{0};
};

struct JobFinished {
  JobResult result;
  std::string result_bytes;  ///< exactly what is published
  std::string metrics_json;  ///< the metrics report as data
  std::vector<OutboxRecord> outbox;
  bool of_sub_agent = false;     ///< whoever asked may read the artifacts that it made
  bool ends_sub_agents = false;  ///< it has had some: those that have not ended are cancelled
  bool ends_summaries = false;   ///< none of its summaries is being written any more
};

/// A call of a tool with effects goes to its tool now.
struct ToolCallStarted {
  Position position;
  std::string tool_version;  ///< as the worker has it that starts it; empty: as it was intended
};

/// One persisted step of one job. Everything in it becomes durable together.
struct Delta {
  LedgerJobId job;
  LedgerConversationId conversation;
  std::vector<RoundOpened> rounds_opened;
  std::vector<StepReplied> steps;
  std::vector<ToolCallIntended> calls_intended;
  std::vector<ToolCallStarted> calls_started;
  std::vector<ToolCallFinished> calls_finished;
  std::vector<RoundClosed> rounds_closed;
  std::vector<ReminderRow> reminders;
  std::vector<CompressionRow> compressions;
  std::vector<RefusedContextRow> refused_contexts;
  std::vector<ExactCountRow> exact_counts;
  std::vector<CompressedHistoryRow> compressed_histories;
  std::vector<SummaryRow> summaries;          ///< that have ended
  std::vector<MessageRow> messages_injected;  ///< after the observations of their step
  std::vector<SkillUsed> skills_used;
  std::vector<SkillDone> skills_done;
  /// Possibly paid model calls lost to time-outs, crashes and aborts, as this incarnation has
  /// counted them for this job so far. Stored per (job, incarnation) as the greatest value, so that
  /// a repeat adds nothing.
  int wasted_model_calls = 0;
  std::optional<JobFinished> finished;
  bool alone = false;  ///< shares no transaction with other jobs' deltas
};

/// One that is being made durable: whoever has to repeat that keeps it, too.
using SharedDelta = std::shared_ptr<const Delta>;

inline SharedDelta share(Delta delta) { return std::make_shared<const Delta>(std::move(delta)); }

/// Every message in it by itself (validate_message()). InvalidArgument that names the field:
/// "steps[0].message.text …".
Result<void> validate_messages(const Delta& delta);

}  // namespace ba
