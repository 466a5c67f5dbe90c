// SPDX-License-Identifier: Apache-2.0
#include "worker/config/adapter_sections.hpp"

#include "pipeline/base/lower_case.hpp"
#include "pipeline/core/sub_agent/task_tool.hpp"
#include "pipeline/core/tool/tool_names.hpp"
#include "worker/tools/base/tool_settings_section.hpp"
#include "worker/tools/command/command_section.hpp"
#include "worker/tools/files/files_section.hpp"
#include "worker/tools/sql/sql_section.hpp"

namespace ba {
namespace {

using settings::SectionReader;

constexpr const char* kNotSet = "default";  // of encodings, among which there is an `auto`

void read_retry_on(SectionReader& in, std::set<ToolErrorType>& types) {
  std::vector<std::string> names;
  for (const ToolErrorType type : types) names.emplace_back(to_string(type));
  in.read("retry_on", names);
  types.clear();
  for (const std::string& name : names) {
    const auto type = parse_tool_error_type(lower_case(name));
    if (type && retryable(*type))
      types.insert(*type);
    else
      in.error("retry_on", "Invalid retry_on: " + name +
                               " (allowed: timeout, rate_limit, resource_error, transient_error)");
  }
}

void read_retry(SectionReader& in, ToolRetryPolicy& retry) {
  in.read("max_retries", retry.max_retries, {0, 20});
  read_retry_on(in, retry.retry_on);
  in.read("backoff_multiplier", retry.backoff_multiplier, settings::RealBounds{1, 100});
  in.read("initial_delay_ms", retry.initial_delay, {0, 3'600'000});
  in.read("max_delay_ms", retry.max_delay, {0, 3'600'000});
  in.read("timeout_multiplier", retry.timeout_multiplier, settings::RealBounds{1, 100});
  in.read("max_timeout_ms", retry.max_timeout, {1, 24LL * 3'600'000});
}

void read_runtime(SectionReader& in, ToolRuntimeConfig& runtime) {
  in.read("output_level", runtime.output_level, kOutputLevelNames);
  in.read("encoding", settings::ChoiceOr{runtime.encoding, kNotSet}, kDataEncodingNames);
  in.read("stable_prefix", runtime.stable_prefix);
  in.read("brief_above_window_percent", runtime.brief_above_window_percent, {1, 100});
  in.read("max_input_mb", runtime.max_input_mb, {1, 100});
  in.read("observation_bytes_max", runtime.observation_bytes_max, {4096, 1LL << 30});
  in.read("inline_full_max_bytes", runtime.inline_full_max_bytes, {0, 1LL << 20});
  in.read("preview_bytes", runtime.preview_bytes, {0, 1LL << 20});
  in.section("retry", [&](SectionReader& inner) { read_retry(inner, runtime.retry); });
}

/// Of one worker at work at once, where tools.settings.task says no number: each asks its model.
constexpr int kSubAgentsMax = 64;

GateTable gates_of(const ToolsConfig& tools) {
  GateTable gates;
  for (const auto& [name, settings] : tools.settings) gates[name] = settings.gate;
  int& sub_agents = gates[std::string(kTaskTool)].concurrency_max;
  if (sub_agents == 0) sub_agents = kSubAgentsMax;
  for (const DataSourceConfig& source : tools.data_sources)
    gates["query_database/" + source.name].calls_per_minute = source.calls_per_minute;
  for (const WriteSourceConfig& source : tools.write_sources)
    gates["database_write/" + source.name].calls_per_minute = source.calls_per_minute;
  std::erase_if(gates, [](const auto& gate) { return !gate.second.any(); });
  return gates;
}

}  // namespace

void read_tools(SectionReader& in, ToolsConfig& tools, ToolRuntimeConfig& runtime) {
  read_runtime(in, runtime);
  read_sql(in, tools.data_sources, tools.write_sources);
  read_files(in, tools.files, tools.file_write);
  read_command(in, tools.command);
  read_tool_settings(in, tools.settings);
  runtime.gates = gates_of(tools);
}

}  // namespace ba
