#pragma once
// SPDX-License-Identifier: Apache-2.0
// What people ask of the ledger: read models for the command line and for doctor. They open a
// connection of their own, read in one read-only transaction, and lock nothing. Blocking; any
// thread. States, outcomes and kinds come as the words that stand in the tables.

#include <optional>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/base/ids.hpp"
#include "pipeline/core/ledger/intake_records.hpp"
#include "pipeline/text/message/message.hpp"
#include "pipeline/text/message/position.hpp"
#include "storage/access.hpp"

namespace ba::storage {

struct JobSummary {
  TenantId tenant;
  JobId job_id;
  ConversationId conversation_id;
  std::string lane;
  std::string state;         ///< "ready", "running", "paused", "waiting", "held", "finished"
  std::string request;       ///< "cancel" or "pause", asked for by a person, or empty
  std::string requested_by;  ///< who did so last, or resumed it, or answered about a call
  std::string waits_for;     ///< calls that a person is to resolve: "mail (call_1)"; else empty
  std::string asked_by;      ///< of a sub-agent: the job that asked for it; else empty
  std::string outcome;       ///< empty while unfinished
  std::string error_code;
  std::string error_message;
  int attempt = 0;
  int rounds = 0;  ///< of an unfinished job: so far
  int steps = 0;
  int tool_calls = 0;
  int tool_calls_failed = 0;
  int wasted_model_calls = 0;
  Usage usage;
  std::int64_t cost_micro_usd = 0;
  bool cost_known = true;
  std::string model;
  std::string worker;  ///< who runs or finished it
  WallTime created_at{};
  WallTime received_at{};
  std::optional<WallTime> started_at;
  std::optional<WallTime> finished_at;
};

struct AttemptView {
  int attempt = 0;
  std::string worker;
  WallTime started_at{};
  std::optional<WallTime> ended_at;
  std::string ending;  ///< "finished", "handed_back", "crashed", or empty
};

struct RoundView {
  int round = 0;
  std::string round_id;
  std::string status;
  std::string final_answer;
  std::int64_t tokens_used = 0;  ///< of its replies, so far
  Milliseconds latency{0};
  std::vector<std::string> skill_activations;  ///< names, in order
  WallTime opened_at{};
  std::optional<WallTime> closed_at;
};

struct StepView {
  int round = 0;
  int step = 0;
  std::string stop_reason;
  std::string provider;
  std::string model;
  std::string provider_request_id;
  Usage usage;
  std::optional<std::int64_t> cost_micro_usd;
  int tries = 1;
  int wasted_calls = 0;
  Milliseconds latency{0};
  WallTime replied_at{};
};

struct ToolCallView {
  Position position;
  ToolCallId tool_call_id;
  std::string tool_name;
  std::string parameters;
  std::string effect;
  std::string state;
  std::string error_type;
  std::string error_code;
  std::string error_message;
  std::int64_t data_size_bytes = 0;
  int retry_count = 0;
  Milliseconds duration{0};
  WallTime intended_at{};
  std::optional<WallTime> started_at;
  std::optional<WallTime> finished_at;
  std::string semantic_key;  ///< empty: the call's meaning was not asked
  std::string cache_origin;  ///< of a cached result: "job/round/step/index" of the call that ran
  std::string artifact_id;   ///< where its data is; empty: nowhere
  std::string data_hash;     ///< SHA-256 of its data as compact JSON
  std::string note;          ///< what the tool said about the data; empty: nothing
  std::string telemetry;     ///< JSON, as pipeline/core/tool/telemetry_json.hpp has it; empty: none
  std::string output_level;
  std::string sub_agent;  ///< the job id of the sub-agent that the call asked for; empty: none
};

struct CompressionView {
  int round = 0;  ///< before the reply of this step was asked for
  int step = 0;
  std::string mode;
  std::string reason;
  std::int64_t messages_before = 0;
  std::int64_t messages_after = 0;
  std::int64_t tokens_before = 0;
  std::int64_t tokens_after = 0;
  std::string missed;  ///< empty: the target was reached
  WallTime compressed_at{};
};

struct RefusedContextView {
  int round =
      0;  ///< when the reply of this step was asked for; -1: in the job that it is a copy of
  int step = 0;
  int refusal = 0;  ///< of this reply, from 1
  std::string model;
  std::int64_t tokens = 0;                 ///< of what was sent, as estimated
  std::int64_t window_tokens = 0;          ///< of the model from then on, likewise
  std::int64_t of_window = 0;              ///< as configured; 0: not known
  std::optional<std::int64_t> told_limit;  ///< by the provider
  std::optional<std::int64_t> told_tokens;
  WallTime refused_at{};
};

struct ExactCountView {
  int round = 0;  ///< before the reply of this step was asked for
  int step = 0;
  int refusal = 0;  ///< after which of its refusals; 0: before any
  std::string model;
  std::int64_t estimated_tokens = 0;   ///< of what was to be sent
  std::optional<std::int64_t> tokens;  ///< by the provider; none: it didn't say
  WallTime counted_at{};
};

struct SummaryView {
  int round = 0;  ///< of the compression that it is of
  int step = 0;
  std::string state;
  std::string round_id;      ///< the last round that it covers
  std::string content_hash;  ///< of what it covers
  std::string text;
  std::string model;
  Usage usage;
  std::optional<std::int64_t> cost_micro_usd;
  bool reused = false;
  std::optional<int> after_round;  ///< used from the reply after this one on
  std::optional<int> after_step;
  WallTime began_at{};
  std::optional<WallTime> ended_at;
};

struct CompressedHistoryView {
  int round = 0;  ///< as it was left at its end
  std::int64_t messages = 0;
  std::int64_t tokens = 0;
  std::string kept;  ///< JSON: ids of messages, and messages made in place of others
};

struct MessageView {
  Position position;
  std::string json;  ///< LangChain form; contract/message_from_json reads it
};

/// One job with everything that happened, each list in order.
struct JobTimeline {
  JobSummary job;
  std::string payload;  ///< as it was accepted
  RecordSource source;  ///< of the record that it was accepted from: topic, partition and offset
  std::string result;   ///< as it was published; empty while unfinished
  std::string metrics_json;
  std::vector<AttemptView> attempts;
  std::vector<RoundView> rounds;
  std::vector<StepView> steps;
  std::vector<MessageView> messages;
  std::vector<ToolCallView> tool_calls;
  std::vector<CompressionView> compressions;
  std::vector<RefusedContextView> refused_contexts;
  std::vector<ExactCountView> exact_counts;
  std::vector<SummaryView> summaries;
  std::vector<CompressedHistoryView> compressed_histories;
};

/// None when there is no such job.
Result<std::optional<JobTimeline>> find_job(const PgAccess& access, const TenantId& tenant,
                                            const JobId& job);

struct JobFilter {
  std::string tenant;                      ///< empty: all
  std::string state;                       ///< empty: all
  std::string outcome;                     ///< empty: all
  std::optional<Milliseconds> older_than;  ///< since it was received
  std::optional<Milliseconds> newer_than;
  int rows_max = 100;
};

/// Newest first.
Result<std::vector<JobSummary>> list_jobs(const PgAccess& access, const JobFilter& filter);

/// What a job of a conversation would go on with.
struct ConversationStanding {
  std::int64_t jobs = 0;  ///< that it has had, unfinished ones too
  bool imported = false;
};

/// None when there is no such conversation yet.
Result<std::optional<ConversationStanding>> find_conversation(const PgAccess& access,
                                                              const TenantId& tenant,
                                                              const ConversationId& conversation);

struct DeadLetterView {
  std::string topic;
  int partition = 0;
  std::int64_t offset = 0;
  std::string reason;
  std::string field;
  std::string message;
  std::string value;  ///< the original bytes
  WallTime created_at{};
};

/// Newest first.
Result<std::vector<DeadLetterView>> list_dead_letters(const PgAccess& access, int rows_max);

/// Of the record that stands there; the time tells it from one of an earlier topic of that name.
Result<std::optional<DeadLetterView>> find_dead_letter(const PgAccess& access,
                                                       const RecordSource& source);

struct StoppedShard {
  int shard = 0;
  std::string reason;
};

/// What doctor shows of the database.
struct StorageHealth {
  std::string server_version;
  std::string role;  ///< that the program connects as
  bool superuser = false;
  bool encrypted = false;  ///< the connection itself (TLS)
  WallTime server_time{};
  int live_incarnations = 0;
  std::int64_t jobs_ready = 0;
  std::int64_t jobs_running = 0;
  std::int64_t outbox_pending = 0;
  std::optional<WallTime> oldest_pending;
  int shards = 0;
  std::vector<StoppedShard> stopped_shards;
  std::int64_t dead_letters = 0;
};

Result<StorageHealth> storage_health(const PgAccess& access);

}  // namespace ba::storage
