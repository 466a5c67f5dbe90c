#pragma once
// SPDX-License-Identifier: Apache-2.0
// The rows that the ledger writes and reads. A Delta is what one step of a job adds; appending the
// same delta twice changes nothing, so an append whose answer was lost is simply repeated. Values.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/base/ids.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/job/job.hpp"
#include "pipeline/job/job_control.hpp"
#include "pipeline/job/outcome.hpp"
#include "pipeline/message/message.hpp"
#include "pipeline/message/position.hpp"
#include "pipeline/tool/tool.hpp"

namespace ba {

/// Where a record stood in Kafka.
struct RecordSource {
  std::string topic;
  std::string topic_id;  ///< the broker's id of the topic where known, else empty
  int partition = 0;
  std::int64_t offset = 0;
  std::int64_t timestamp_ms = 0;
  int epoch = 0;  ///< of the partition's offsets in the ledger, see PartitionOffset

  friend bool operator==(const RecordSource&, const RecordSource&) = default;
};

using Headers = std::vector<std::pair<std::string, std::string>>;  ///< in order, names may repeat

/// A record for a topic, to be published exactly once. Written by the transaction that decides it.
struct OutboxRecord {
  ResultId result_id;  ///< unique over the outbox
  int shard = 0;       ///< shard_of(tenant, job)
  std::string topic;
  std::string key;
  std::string value;
  Headers headers;

  friend bool operator==(const OutboxRecord&, const OutboxRecord&) = default;
};

// ---- intake ------------------------------------------------------------------------------------

struct IntakeJob {
  Job job;
  std::string payload;  ///< canonical protobuf bytes of the job (contract/encode_job)
  RecordSource source;
};

struct DeadLetter {
  RecordSource source;
  std::string reason;  ///< UPPER_SNAKE: BAD_JSON, MISSING_FIELD, TOO_LARGE, UNKNOWN_VERSION, …
  std::string field;   ///< path of the field, "messages[2]", or empty
  std::string message;
  std::optional<std::string> key;
  std::string value;  ///< the original bytes
  Headers headers;
  OutboxRecord record;  ///< its message on the dead-letter topic
};

struct PartitionOffset {
  std::string topic;
  std::string topic_id;
  int partition = 0;
  std::int64_t next_offset = 0;  ///< the ledger keeps the greatest it has seen of the epoch
  /// Counts how often intake of this partition began anew because its log no longer held the
  /// ledger's offset. Offsets of an older epoch say nothing about the log as it is now.
  int epoch = 0;

  friend bool operator==(const PartitionOffset&, const PartitionOffset&) = default;
};

struct IntakeBatch {
  std::vector<IntakeJob> jobs;
  std::vector<DeadLetter> dead_letters;
  std::vector<PartitionOffset> offsets;
};

// ---- claims ------------------------------------------------------------------------------------

struct ClaimRequest {
  int jobs_max = 0;  ///< new jobs to claim; those to be cancelled come on top
  /// Guaranteed share per lane (High, Normal, Batch), in percent of the incarnation's slots: what
  /// it runs already and jobs_max together. At least one slot for a lane with a share.
  std::vector<int> lane_share_percent{60, 30, 10};
  /// Jobs the caller has from earlier answers: left out of this one, so that a claim of a busy
  /// worker doesn't carry all its payloads again.
  std::vector<LedgerJobId> known;
  /// Jobs on their second attempt that the incarnation may run at once; from the third on it is
  /// one. So a job that crashes its worker drags few others into another attempt, and none into its
  /// last.
  int retried_max = 32;
  bool count = true;               ///< whether ClaimAnswer says what waits; counting costs
  int waiting_count_max = 10'000;  ///< bounds of what is counted
  int claimable_count_max = 1000;
};

struct ClaimedJob {
  LedgerJobId id;
  LedgerConversationId conversation;
  int attempt = 1;           ///< 1 for the first; counted before work
  bool after_crash = false;  ///< the attempt before this one ended by the reaper, not by hand-back
  std::string payload;
  WallTime first_claimed_at{};  ///< deadlines count from here
  Milliseconds idle{0};  ///< paused or waiting for a person since then: no deadline counts it
};

/// A person's request about a job that the incarnation owns.
struct RequestedJob {
  LedgerJobId id;
  JobRequest request = JobRequest::None;
};

/// A job that its worker gives back.
struct ReturnedJob {
  LedgerJobId id;
  /// For a person, who is to say what became of its running calls. No crash is held against it
  /// any more: it had come as far as these calls.
  bool waits = false;
};

/// What a claim answers.
struct ClaimAnswer {
  std::vector<ClaimedJob> jobs;  ///< all unfinished jobs the incarnation owns, but the known ones
  std::vector<RequestedJob> requests;  ///< about any unfinished job it owns, known or not
  std::int64_t waiting = 0;            ///< ready jobs left in the ledger
  std::int64_t claimable = 0;          ///< of these the next one of each conversation, if none runs
};

// ---- what a running job adds -------------------------------------------------------------------

struct MessageRow {
  Position position;
  Message message;
};

struct RoundOpened {
  int round = 0;
  std::string round_id;
  HumanMessage message;  ///< position (round, 0, 0)
};

struct StepReplied {
  int round = 0;
  int step = 0;
  AiMessage message;  ///< position (round, step, 0); its tool calls are intended by this row
  std::string stop_reason;
  std::string provider;
  std::string model;
  std::string provider_request_id;
  std::string request_hash;
  std::optional<std::int64_t> cost_micro_usd;
  int tries = 1;
  int wasted_calls = 0;  ///< of these tries; Delta::wasted_model_calls has them too
  Milliseconds latency{0};
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
};

/// One persisted step of one job. Everything in it becomes durable together.
struct Delta {
  LedgerJobId job;
  LedgerConversationId conversation;
  std::vector<RoundOpened> rounds_opened;
  std::vector<StepReplied> steps;
  std::vector<ToolCallIntended> calls_intended;
  std::vector<Position> calls_started;
  std::vector<ToolCallFinished> calls_finished;
  std::vector<RoundClosed> rounds_closed;
  /// Possibly paid model calls lost to time-outs, crashes and aborts, as this incarnation has
  /// counted them for this job so far. Stored per (job, incarnation) as the greatest value, so that
  /// a repeat adds nothing.
  int wasted_model_calls = 0;
  std::optional<JobFinished> finished;
  bool alone = false;  ///< shares no transaction with other jobs' deltas
};

// ---- what a job is resumed from ----------------------------------------------------------------

struct StoredToolCall {
  Position position;
  ToolCallId tool_call_id;
  std::string tool_name;
  std::string parameters;
  EffectClass effect = EffectClass::Once;
  ToolCallState state = ToolCallState::Intended;
  int retry_count = 0;
  Milliseconds duration{0};
};

struct StoredRound {
  int round = 0;
  RoundStatus status = RoundStatus::InProgress;
  std::string final_answer;
  Usage usage;
  std::int64_t cost_micro_usd = 0;
  bool cost_known = true;
  int steps = 0;
  std::string last_model;  ///< "provider/model" of the last reply; empty: there is none
};

/// Everything needed to go on with a job: the conversation's messages and this job's own rows.
struct StoredJob {
  std::vector<Message> history;       ///< of earlier jobs of the conversation, in order
  std::vector<MessageRow> messages;   ///< of this job, in order of position
  std::vector<StoredRound> rounds;    ///< of this job, in order
  std::vector<StoredToolCall> calls;  ///< of this job, in order of position
  int wasted_model_calls = 0;         ///< recorded so far, all attempts
  int conversation_rounds = 0;        ///< rounds of earlier jobs
};

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
  std::vector<StoredToolCall> calls;  ///< as in StoredJob, without their parameters
  int wasted_model_calls = 0;
  ConversationExcerpt conversation;
};

// ---- outbox ------------------------------------------------------------------------------------

struct ShardState {
  int shard = 0;
  std::int64_t assigned_batch = 0;   ///< 0: none was ever assigned
  std::int64_t published_batch = 0;  ///< assigned == published: nothing in flight
};

struct OutboxBatch {
  int shard = 0;
  std::int64_t number = 0;  ///< 0: there was nothing to assign
  std::vector<OutboxRecord> records;
};

/// Puts another record in the place of one that Kafka refuses for what it is; `record.result_id`
/// says which. `result` is the job's terminal row from then on, where the record is its result.
struct RecordReplacement {
  OutboxRecord record;
  std::optional<JobResult> result;
};

}  // namespace ba
