#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a tool is: a descriptor and a function. And what a call of it carries and gives back.
// Values, but for the Tool interface: implementations live in worker/tools, are owned by the
// process and called on the control thread only.

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/base/ids.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/core/tool/chunked_data.hpp"
#include "pipeline/text/encoding/encoding.hpp"
#include "pipeline/text/message/position.hpp"

namespace ba {

enum class OutputLevel { Brief, Standard, Full };
enum class PermissionLevel { Restricted, Default, Admin };
enum class CachePolicy { NoCache, Cacheable, TtlShort, TtlMedium, TtlLong };

/// Who shares a cached result: everyone of the tenant, or only calls of the same caller.
enum class CacheScope { Caller, Tenant };

/// What a crash during a call means for it (docs/internals/effects.md). A tool that declares
/// nothing: Once.
enum class EffectClass {
  Pure,          ///< run again
  Keyed,         ///< run again with the same idempotency key
  Reconcilable,  ///< ask its status
  Once,          ///< never run again: the outcome is unknown
};

/// Error types of a failed call: the tool's own word on what might help.
enum class ToolErrorType {
  Timeout,
  RateLimit,
  ResourceError,
  TransientError,
  PermissionDenied,
  InvalidParameters,
  NotFound,
  ValidationError,
  ExecutionError,
  InternalError,
  DependencyError,
};

/// What that is.
enum class ToolErrorKind {
  Retryable,    ///< the same call may succeed later
  Permanent,    ///< only another call may succeed, which is the model's business
  NeedsPerson,  ///< what is wrong is no caller's business: somebody has to mend it
};

std::string_view to_string(OutputLevel level);
std::string_view to_string(PermissionLevel level);
std::string_view to_string(CachePolicy policy);
std::string_view to_string(CacheScope scope);
std::string_view to_string(EffectClass effect);
std::string_view to_string(ToolErrorType type);
std::string_view to_string(ToolErrorKind kind);
std::optional<OutputLevel> parse_output_level(std::string_view text);
std::optional<EffectClass> parse_effect_class(std::string_view text);
std::optional<ToolErrorType> parse_tool_error_type(std::string_view text);
ToolErrorKind error_kind(ToolErrorType type);
bool retryable(ToolErrorType type);

/// How long a result is kept; 0: it isn't.
Milliseconds time_to_live(CachePolicy policy);

/// A data source of a tool, with what the model reads of it.
struct SourceText {
  std::string name;
  std::string text;

  friend bool operator==(const SourceText&, const SourceText&) = default;
};

struct ToolDescriptor {
  std::string name;  ///< [a-zA-Z0-9_-]{1,64}
  std::string version = "1.0.0";
  std::string description;               ///< what the model reads, before its `sources`
  std::string parameters_schema = "{}";  ///< JSON Schema (draft 7) of an object, as JSON text
  /// What models see in its place, for a tool whose own schema is of another draft. Empty: the
  /// same.
  std::string schema_for_models;
  EffectClass effect = EffectClass::Once;
  PermissionLevel permission = PermissionLevel::Default;  ///< at least this
  bool may_be_cached = false;  ///< its results can be kept at all: of a pure tool only
  CachePolicy cache_policy = CachePolicy::NoCache;  ///< where the call says nothing else
  CacheScope cache_scope = CacheScope::Caller;
  /// Calls of one reply run one after the other, in their order: each builds on those before it.
  /// Not for a pure tool.
  bool in_turn = false;
  std::string source_parameter;     ///< the parameter that names a data source; empty: none does
  std::vector<SourceText> sources;  ///< those that it names
  std::optional<OutputLevel> default_level;
  bool whole_text = false;               ///< a result that is a text is read whole at STANDARD
  std::optional<DataEncoding> encoding;  ///< of its results; else the configured one
  /// Its results are there to be read: at FULL and in the encoding `auto`, where nothing else is
  /// set.
  bool reader = false;
  Milliseconds timeout{120000};
  bool retry_on_timeout = true;

  friend bool operator==(const ToolDescriptor&, const ToolDescriptor&) = default;
};

/// How a tool is offered to a model.
struct ToolSpec {
  std::string name;
  std::string description;
  std::string parameters_schema;  ///< with the optional `output_level` added

  friend bool operator==(const ToolSpec&, const ToolSpec&) = default;
};

struct Skill;  ///< pipeline/core/skill/skill.hpp

struct ToolInvocation {
  ToolCallId tool_call_id;
  std::string tool_name;
  std::string tool_version;
  std::string parameters = "{}";  ///< JSON object; without output_level, checked against the schema
  OutputLevel output_level = OutputLevel::Standard;
  Milliseconds timeout{120000};
  bool retry_on_timeout = true;  ///< false: a timeout of this call is not retried
  PermissionLevel permission_level = PermissionLevel::Default;
  TenantId tenant;
  std::string caller_id;        ///< agent or skill
  std::string idempotency_key;  ///< same for each run of the same call; keyed tools pass it on
  /// Of a call that an earlier attempt has begun: the tool's version then. Empty: it is this one.
  std::string begun_version;
  LedgerJobId job;
  Position position;  ///< identity of the call: (job, round, step, index)
  /// Of the parameters that name an artifact (`x-artifact`): their data, JSON, by parameter.
  std::map<std::string, SharedText> artifacts;
  /// Of those of which artifact_range() asked for a part, which items that are.
  std::map<std::string, ItemRange> artifact_parts;
  /// Takes a result that is too large to be held; null: nothing is kept, more isn't read.
  std::shared_ptr<ChunkSink> chunks;
  /// What the tool may hold of a result where nothing is kept.
  std::int64_t held_bytes_max = kHeldBytesMax;
  /// Those that are active in the conversation, as they were activated; for what runs their
  /// scripts.
  std::vector<std::shared_ptr<const Skill>> active_skills;

  friend bool operator==(const ToolInvocation&, const ToolInvocation&) = default;
};

struct ToolError {
  ToolErrorType type = ToolErrorType::InternalError;
  std::string code;     ///< UPPER_SNAKE
  std::string message;  ///< for the model: what was wrong and what would be right

  friend bool operator==(const ToolError&, const ToolError&) = default;
};

/// What a tool's function delivers: its data as JSON, or an error. Beside an error of type Timeout
/// there may be data too: what was delivered before it.
struct RawToolResult {
  std::string data;                    ///< JSON text (UTF-8); a plain text is a JSON string
  std::optional<ChunkedData> chunked;  ///< in place of `data`: it was put away while it came
  std::optional<ToolError> error;
  bool outcome_unknown = false;  ///< this run may have had its effect: the answer was lost
  bool never_happened = false;   ///< of an error: no run of this call had, or will have, its effect
  bool retry_useless = false;    ///< the tool knows that the same call would fail the same way
  std::optional<Milliseconds> retry_after;  ///< of an error: a retry is not wanted earlier
  bool not_cacheable = false;               ///< a result that the same call may not give again
  std::string closing_line;  ///< of a success: the observation ends with it, at every level
  std::string note;  ///< of a success: a line about the data, below the level's text; no part of it
  std::map<std::string, double>
      metrics;                ///< for telemetry, never for the model; units in the names
  std::string error_context;  ///< of an error, for telemetry only: what an engineer wants to know

  friend bool operator==(const RawToolResult&, const RawToolResult&) = default;
};

/// Of a tool that threw: what it said is for engineers, and whether the call had its effect nobody
/// knows.
RawToolResult threw(const std::exception& error);

/// What a reconcilable tool says of the earlier runs of a call.
struct EffectStatus {
  enum class Verdict {
    Happened,      ///< `result` is what the run answered, or would have
    DidNotHappen,  ///< nor will it: no request of an earlier run can still take effect
    CannotTell,    ///< `result.error`, where given, says why; of a type that passes: ask again
  };
  Verdict verdict = Verdict::CannotTell;
  RawToolResult result;

  friend bool operator==(const EffectStatus&, const EffectStatus&) = default;
};

/// What the ledger keeps of a call, and what the model reads of it.
enum class ToolCallState { Intended, Running, Succeeded, Failed, Unknown };
std::string_view to_string(ToolCallState state);
std::optional<ToolCallState> parse_tool_call_state(std::string_view text);

/// What is recorded of a call for engineers; no model reads it.
struct ToolTelemetry {
  std::string tool;  ///< these two: empty where there is no such tool
  std::string tool_version;
  std::string semantic_key;  ///< what the call means; empty: it was refused, or nobody can tell
  bool cache_hit = false;    ///< answered by an earlier run, and which
  LedgerJobId origin_job;
  Position origin;
  /// The newest skill that was active when the call began, or that it activated; empty: none.
  std::string skill;
  std::string activation_id;  ///< of that skill
  std::string execution_id;   ///< of this run of the call, here and now; random
  WallTime started_at{};      ///< of this run, waits and all tries included
  WallTime ended_at{};
  int attempts = 0;                       ///< tries of the tool here; 0: it was not asked
  Milliseconds latency{0};                ///< of the last try
  std::int64_t input_tokens = 0;          ///< of the arguments, as the request counts
  std::int64_t output_tokens = 0;         ///< of the observation, likewise
  std::optional<ToolError> last_error;    ///< of the last try that failed, also if a later didn't
  std::string error_context;              ///< beside it: what no model may read
  std::map<std::string, double> metrics;  ///< the tool's own, of its last try

  friend bool operator==(const ToolTelemetry&, const ToolTelemetry&) = default;
};

/// What a call costs a context: its arguments and its observation.
inline std::int64_t total_tokens(const ToolTelemetry& telemetry) {
  return telemetry.input_tokens + telemetry.output_tokens;
}

struct ToolResult {
  ToolCallId tool_call_id;
  ToolCallState state = ToolCallState::Succeeded;  ///< Succeeded, Failed or Unknown
  std::string observation;                         ///< the one text the model gets
  OutputLevel output_level = OutputLevel::Standard;
  std::string artifact_id;  ///< where the data is; empty: nowhere
  std::int64_t data_size_bytes = 0;
  std::string data_hash;  ///< SHA-256 of the data as compact JSON, hexadecimal digits
  std::string data_summary;
  std::string note;      ///< what is said about the data, in a line; empty: nothing. Never hashed
  bool in_part = false;  ///< at FULL: only the beginning of the data is in the observation
  std::optional<ToolError> error;
  int retry_count = 0;
  Milliseconds duration{0};
  /// By how many tokens the observation is shorter than what a plain loop would show of a success
  /// (plain_text.hpp); below 0: longer.
  std::int64_t saved_tokens = 0;
  ToolTelemetry telemetry;

  friend bool operator==(const ToolResult&, const ToolResult&) = default;
};

/// A running call. Destroying it cancels the work (query cancelled, file closed): no completion
/// comes after that.
class ToolRun {
 public:
  virtual ~ToolRun() = default;
};

/// Where a reconcilable tool is asked what became of a call.
class StatusSource {
 public:
  virtual ~StatusSource() = default;

  /// The invocation is that of the run in question: same parameters, same idempotency key. Has no
  /// effect itself. Answers as Tool::run does.
  [[nodiscard]] virtual std::unique_ptr<ToolRun> status(ToolInvocation invocation,
                                                        std::function<void(EffectStatus)> done) = 0;
};

class Tool {
 public:
  virtual ~Tool() = default;
  virtual const ToolDescriptor& descriptor() const = 0;

  /// Why it would refuse a call with these parameters (checked against the schema), as far as it
  /// can tell without touching anything outside: what its guards say. Any thread.
  virtual std::optional<ToolError> refusal(const std::string& parameters) const {
    static_cast<void>(parameters);
    return std::nullopt;
  }

  /// Which items of an artifact that is an array a call with these parameters reads, where it can
  /// do with those: it is given them, and perhaps some beside them (artifact_parts), or all.
  virtual std::optional<ItemRange> artifact_range(const std::string& parameters) const {
    static_cast<void>(parameters);
    return std::nullopt;
  }

  /// Starts the call and answers once through `done`, on the control thread, never from inside
  /// this call. Keeps within invocation.timeout by itself (type Timeout, code TIMEOUT).
  [[nodiscard]] virtual std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                                                     std::function<void(RawToolResult)> done) = 0;

  /// Not null for a Reconcilable tool, and only for such; part of the tool.
  virtual StatusSource* status_source() { return nullptr; }
};

}  // namespace ba
