#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a tool gives back, and what becomes of it: the result that a model reads and the ledger
// keeps. Values.

#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/base/ids.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/core/tool/chunked_data.hpp"
#include "pipeline/text/message/position.hpp"

namespace ba {

enum class OutputLevel { Brief, Standard, Full };
std::string_view to_string(OutputLevel level);
std::optional<OutputLevel> parse_output_level(std::string_view text);

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

std::string_view to_string(ToolErrorType type);
std::string_view to_string(ToolErrorKind kind);
std::optional<ToolErrorType> parse_tool_error_type(std::string_view text);
ToolErrorKind error_kind(ToolErrorType type);
bool retryable(ToolErrorType type);

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
  /// (full_text.hpp); below 0: longer.
  std::int64_t saved_tokens = 0;
  ToolTelemetry telemetry;

  friend bool operator==(const ToolResult&, const ToolResult&) = default;
};

}  // namespace ba
