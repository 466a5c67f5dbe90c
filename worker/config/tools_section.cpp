// SPDX-License-Identifier: Apache-2.0
#include "worker/config/adapter_sections.hpp"

#include <cctype>

#include "pipeline/base/lower_case.hpp"
#include "pipeline/core/sub_agent/task_tool.hpp"
#include "pipeline/core/tool/tool_names.hpp"

namespace ba {
namespace {

using settings::SectionReader;

constexpr const char* kNotSet = "default";  // of encodings, among which there is an `auto`

/// Names of functions, in schema public where they have none.
void read_functions(SectionReader& in, std::set<std::string>& functions) {
  std::vector<std::string> names;
  in.read("functions", names);
  for (const std::string& name : names)
    functions.insert(name.find('.') == std::string::npos ? "public." + name : name);
}

void read_tenancy(SectionReader& in, SourceTenancy& tenancy) {
  in.read("tenant_setting", tenancy.tenant_setting);
  in.entries("tenants", [&](const std::string& tenant, SectionReader& entry) {
    SourceTenancy::Tenant& own = tenancy.tenants[tenant];
    entry.read("role", own.role);
    entry.read("settings", own.settings);
  });
}

void read_data_source(SectionReader& in, DataSourceConfig& source) {
  in.read("name", source.name);
  in.read("url", settings::PgAddress{source.url});
  in.read("description", source.description);
  in.read("tables", settings::TextOrFile{source.tables});
  in.read("row_limit", source.row_limit, tool_bounds::kRowLimit);
  in.read("result_bytes_max", source.result_bytes_max, tool_bounds::kResultBytesMax);
  in.read("statement_timeout_ms", source.statement_timeout, tool_bounds::kStatementTimeoutMs);
  in.read("connect_timeout_ms", source.connect_timeout, tool_bounds::kConnectTimeoutMs);
  in.read("pool_size", source.pool_size, tool_bounds::kPoolSize);
  in.read("calls_per_minute", source.calls_per_minute, {0, 1'000'000});
  read_functions(in, source.functions);
  read_tenancy(in, source.tenancy);
}

void read_statements(SectionReader& in, std::set<WriteStatement>& statements) {
  std::vector<std::string> names{"insert", "update", "delete"};
  in.read("statements", names);
  std::set<WriteStatement> known;
  for (const std::string& name : names) {
    const std::string statement = lower_case(name);
    if (statement == "insert")
      known.insert(WriteStatement::Insert);
    else if (statement == "update")
      known.insert(WriteStatement::Update);
    else if (statement == "delete")
      known.insert(WriteStatement::Delete);
    else
      in.error("statements", "Invalid statements: " + name + " (allowed: insert, update, delete)");
  }
  if (!known.empty() || names.empty()) statements = std::move(known);
}

void read_write_source(SectionReader& in, WriteSourceConfig& source) {
  in.read("name", source.name);
  in.read("url", settings::PgAddress{source.url});
  in.read("description", settings::TextOrFile{source.description});
  in.read("tables", source.rules.tables);
  read_statements(in, source.rules.statements);
  in.read("row_limit", source.row_limit, tool_bounds::kWriteRowLimit);
  in.read("result_bytes_max", source.result_bytes_max, tool_bounds::kWriteResultBytesMax);
  in.read("statement_timeout_ms", source.statement_timeout, tool_bounds::kStatementTimeoutMs);
  in.read("lock_timeout_ms", source.lock_timeout, tool_bounds::kStatementTimeoutMs);
  in.read("connect_timeout_ms", source.connect_timeout, tool_bounds::kConnectTimeoutMs);
  in.read("pool_size", source.pool_size, tool_bounds::kPoolSize);
  in.read("calls_per_minute", source.calls_per_minute, {0, 1'000'000});
  in.read("keep_days", source.keep_days, tool_bounds::kKeepDays);
  read_functions(in, source.functions);
  in.read("also_changes", source.also_changes);
  read_tenancy(in, source.tenancy);
}

void read_roots(SectionReader& in, std::vector<FileRootConfig>& roots) {
  in.list("roots", [&](SectionReader& inner) {
    FileRootConfig& root = roots.emplace_back();
    inner.read("name", root.name);
    inner.read("path", root.path);
    inner.read("description", root.description);
  });
}

void read_file_write(SectionReader& in, FileWriteConfig& files) {
  read_roots(in, files.roots);
  in.read("permission", files.permission, kPermissionNames);
  in.read("file_bytes_max", files.file_bytes_max, tool_bounds::kWrittenFileBytesMax);
  in.read("csv_formulas", files.csv_formulas);
  in.read("keep_days", files.keep_days, tool_bounds::kKeepDays);
  in.read("threads", files.threads, tool_bounds::kThreads);
}

void read_files(SectionReader& in, FilesConfig& files) {
  read_roots(in, files.roots);
  in.read("file_bytes_max", files.file_bytes_max, tool_bounds::kFileBytesMax);
  in.read("row_limit", files.row_limit, tool_bounds::kRowLimit);
  in.read("result_bytes_max", files.result_bytes_max, tool_bounds::kResultBytesMax);
  in.read("threads", files.threads, tool_bounds::kThreads);
}

void read_command(SectionReader& in, CommandConfig& command) {
  in.read("enabled", command.enabled);
  in.read("permission", command.permission, kPermissionNames);
  in.read("bubblewrap", command.bubblewrap);
  in.read("memory_bytes_max", command.memory_bytes_max, tool_bounds::kCommandMemoryBytesMax);
  in.read("processes_max", command.processes_max, tool_bounds::kCommandProcessesMax);
  in.read("cpu_seconds_max", command.cpu_seconds_max, tool_bounds::kCommandCpuSecondsMax);
  in.read("disk_bytes_max", command.disk_bytes_max, tool_bounds::kCommandDiskBytesMax);
  in.read("files_max", command.files_max, tool_bounds::kCommandFilesMax);
  in.read("open_files_max", command.open_files_max, tool_bounds::kCommandOpenFilesMax);
  in.read("output_bytes_max", command.output_bytes_max, tool_bounds::kCommandOutputBytesMax);
  in.read("threads", command.threads, tool_bounds::kThreads);
  in.read("wait_ms_max", command.wait_max, tool_bounds::kCommandWaitMsMax);
}

void read_tool_settings(SectionReader& in, ToolSettings& tool) {
  in.read("enabled", tool.enabled);
  in.read("default_level", tool.default_level, kOutputLevelNames);
  in.read("encoding", settings::ChoiceOr{tool.encoding, kNotSet}, kDataEncodingNames);
  Milliseconds timeout{0};
  in.read("timeout_ms", timeout, {0, tool_bounds::kTimeoutMs.most});
  if (timeout.count() > 0) tool.timeout = timeout;  // 0: the tool's own
  in.read("retry_on_timeout", tool.retry_on_timeout);
  in.read("cache_policy", tool.cache_policy, kCachePolicyNames);
  in.read("cache_scope", tool.cache_scope, kCacheScopeNames);
  in.read("concurrency_max", tool.gate.concurrency_max, {0, 10'000});
  in.read("calls_per_minute", tool.gate.calls_per_minute, {0, 1'000'000});
}

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
  in.list("data_sources", [&](SectionReader& inner) {
    read_data_source(inner, tools.data_sources.emplace_back());
  });
  in.section("database_write", [&](SectionReader& write) {
    write.list("data_sources", [&](SectionReader& inner) {
      read_write_source(inner, tools.write_sources.emplace_back());
    });
  });
  in.section("files", [&](SectionReader& inner) { read_files(inner, tools.files); });
  in.section("file_write", [&](SectionReader& inner) { read_file_write(inner, tools.file_write); });
  in.section("execute_command", [&](SectionReader& inner) { read_command(inner, tools.command); });
  in.entries("settings", [&](const std::string& name, SectionReader& inner) {
    read_tool_settings(inner, tools.settings[name]);
  });
  runtime.gates = gates_of(tools);
}

}  // namespace ba
