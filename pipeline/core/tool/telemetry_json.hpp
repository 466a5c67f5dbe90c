#pragma once
// SPDX-License-Identifier: Apache-2.0
// What is recorded of a call for engineers, as it stands in the ledger and in what commands print.
// Pure; any thread.

#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

/// The version of telemetry_json(), "major.minor".
inline constexpr const char* kTelemetrySchemaVersion = "1.0";

/// {"schema_version", "execution_id", "tool", "tool_version", "started_at", "ended_at", "attempts",
/// "latency_ms", "input_tokens", "output_tokens", "total_tokens"} and, where there are any, "skill"
/// with "activation_id", "last_error" {"type", "code", "message"} and "metrics". Times as in RFC
/// 3339. Empty for a call that was never looked at.
std::string telemetry_json(const ToolTelemetry& telemetry);

/// Whether what is recorded with this `schema_version` can be read; where there is none it is 1.0.
/// Corrupt, with both versions, for a newer major one.
Result<void> check_telemetry_version(std::string_view version);

}  // namespace ba
