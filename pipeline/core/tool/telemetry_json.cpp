// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/telemetry_json.hpp"

#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/text/message/migration.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

constexpr std::size_t kContextBytesMax = 4096;

}  // namespace

std::string telemetry_json(const ToolTelemetry& telemetry) {
  if (telemetry.execution_id.empty()) return "";
  nlohmann::ordered_json json = {{"schema_version", kTelemetrySchemaVersion},
                                 {"execution_id", telemetry.execution_id},
                                 {"tool", telemetry.tool},
                                 {"tool_version", telemetry.tool_version},
                                 {"started_at", to_rfc3339(telemetry.started_at)},
                                 {"ended_at", to_rfc3339(telemetry.ended_at)},
                                 {"attempts", telemetry.attempts},
                                 {"latency_ms", telemetry.latency.count()},
                                 {"input_tokens", telemetry.input_tokens},
                                 {"output_tokens", telemetry.output_tokens},
                                 {"total_tokens", total_tokens(telemetry)}};
  if (!telemetry.activation_id.empty()) {
    json["skill"] = telemetry.skill;
    json["activation_id"] = telemetry.activation_id;
  }
  if (const std::optional<ToolError>& error = telemetry.last_error)
    json["last_error"] = {
        {"type", to_string(error->type)}, {"code", error->code}, {"message", error->message}};
  if (!telemetry.error_context.empty())
    json["error_context"] = utf8_prefix(telemetry.error_context, kContextBytesMax);
  if (!telemetry.metrics.empty()) json["metrics"] = telemetry.metrics;
  return dump_exact(json);
}

Result<void> check_telemetry_version(std::string_view version) {
  if (version.empty()) return {};
  return check_readable_version(version, kTelemetrySchemaVersion);
}

}  // namespace ba
