// SPDX-License-Identifier: Apache-2.0
#include "worker/config/tools_section.hpp"

#include "worker/config/output_level_setting.hpp"
#include "worker/config/section_reader.hpp"

namespace ba {
namespace {

using settings::SectionReader;

constexpr std::int64_t kGiB = 1024LL * 1024 * 1024;
constexpr EnumNames<OutputLevel, 3> kOutputLevels{{{OutputLevel::Brief, "brief"},
                                                   {OutputLevel::Standard, "standard"},
                                                   {OutputLevel::Full, "full"}}};

void read_data_source(SectionReader& in, DataSourceConfig& source) {
  in.text("name", source.name);
  in.connection("url", source.url);
  in.text("description", source.description);
  in.text_or_file("tables", source.tables);
  in.number("row_limit", source.row_limit, {1, 100'000});
  in.number("result_bytes_max", source.result_bytes_max, {1024, kGiB});
  in.milliseconds("statement_timeout_ms", source.statement_timeout, {1, 3'600'000});
  in.milliseconds("connect_timeout_ms", source.connect_timeout, {1, 600'000});
  in.number("pool_size", source.pool_size, {1, 100});
}

void read_files(SectionReader& in, FilesConfig& files) {
  in.list("roots", [&](SectionReader& inner) {
    FileRootConfig& root = files.roots.emplace_back();
    inner.text("name", root.name);
    inner.text("path", root.path);
    inner.text("description", root.description);
  });
  in.number("file_bytes_max", files.file_bytes_max, {1, 64 * kGiB});
  in.number("row_limit", files.row_limit, {1, 100'000});
  in.number("result_bytes_max", files.result_bytes_max, {1024, kGiB});
  in.number("threads", files.threads, {1, 64});
}

void read_tool_settings(SectionReader& in, ToolSettings& tool) {
  in.boolean("enabled", tool.enabled);
  settings::read_output_level(in, "default_level", tool.default_level);
  Milliseconds timeout{0};
  in.milliseconds("timeout_ms", timeout, {0, 3'600'000});
  if (timeout.count() > 0) tool.timeout = timeout;  // 0: the tool's own
}

void read_retry_on(SectionReader& in, std::set<ToolErrorType>& types) {
  std::vector<std::string> names;
  for (const ToolErrorType type : types) names.emplace_back(to_string(type));
  in.texts("retry_on", names);
  types.clear();
  for (const std::string& name : names) {
    const auto type = parse_tool_error_type(name);
    if (type && retryable(*type))
      types.insert(*type);
    else
      in.error("retry_on", "Invalid retry_on: " + name +
                               " (allowed: timeout, rate_limit, resource_error, transient_error)");
  }
}

void read_retry(SectionReader& in, ToolRetryPolicy& retry) {
  in.number("max_retries", retry.max_retries, {0, 20});
  read_retry_on(in, retry.retry_on);
  in.real("backoff_multiplier", retry.backoff_multiplier, 1, 100);
  in.milliseconds("initial_delay_ms", retry.initial_delay, {0, 3'600'000});
  in.milliseconds("max_delay_ms", retry.max_delay, {0, 3'600'000});
  in.real("timeout_multiplier", retry.timeout_multiplier, 1, 100);
  in.milliseconds("max_timeout_ms", retry.max_timeout, {1, 24 * 3'600'000});
}

void read_runtime(SectionReader& in, ToolRuntimeConfig& runtime) {
  in.choice("output_level", runtime.output_level, kOutputLevels);
  in.number("brief_above_window_percent", runtime.brief_above_window_percent, {1, 100});
  in.number("max_input_mb", runtime.max_input_mb, {1, 100});
  in.number("observation_bytes_max", runtime.observation_bytes_max, {1024, kGiB});
  in.section("retry", [&](SectionReader& inner) { read_retry(inner, runtime.retry); });
}

}  // namespace

void read_tools(SectionReader& in, ToolsConfig& tools, ToolRuntimeConfig& runtime) {
  read_runtime(in, runtime);
  in.list("data_sources", [&](SectionReader& inner) {
    read_data_source(inner, tools.data_sources.emplace_back());
  });
  in.section("files", [&](SectionReader& inner) { read_files(inner, tools.files); });
  in.entries("settings", [&](const std::string& name, SectionReader& inner) {
    read_tool_settings(inner, tools.settings[name]);
  });
}

}  // namespace ba
