#pragma once
// SPDX-License-Identifier: Apache-2.0
// What is recorded of a call for engineers, as it stands in the ledger and in what commands print.
// Pure; any thread.

#include <string>

#include "pipeline/tool/tool.hpp"

namespace ba {

/// {"execution_id", "started_at", "ended_at", "attempts", "latency_ms", "input_tokens",
/// "output_tokens", "total_tokens"} and, where there are any, "last_error" {"type", "code",
/// "message"} and "metrics". Times as in RFC 3339. Empty for a call that was never looked at.
std::string telemetry_json(const ToolTelemetry& telemetry);

}  // namespace ba
