// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/base/tool_settings.hpp"

#include <set>

#include "pipeline/base/setting_problem.hpp"
#include "pipeline/core/tool/tool_names.hpp"
#include "worker/settings/section_reader.hpp"

namespace ba::tools {
namespace {

/// Tools whose results are never kept, whatever a configuration says: they change something.
const std::set<std::string_view> kNeverCached{"file_write", "execute_command", "database_write"};

using settings::SectionReader;

constexpr const char* kNotSet = "default";  // of encodings, among which there is an `auto`

void read_settings(SectionReader& in, ToolSettings& tool) {
  in.read("enabled", tool.enabled);
  in.read("default_level", tool.default_level, kOutputLevelNames);
  in.read("encoding", settings::ChoiceOr{tool.encoding, kNotSet}, kDataEncodingNames);
  Milliseconds timeout{0};
  in.read("timeout_ms", timeout, {0, kToolTimeoutMsMax});
  if (timeout.count() > 0) tool.timeout = timeout;  // 0: the tool's own
  in.read("retry_on_timeout", tool.retry_on_timeout);
  in.read("cache_policy", tool.cache_policy, kCachePolicyNames);
  in.read("cache_scope", tool.cache_scope, kCacheScopeNames);
  in.read("concurrency_max", tool.gate.concurrency_max, {0, 10'000});
  in.read("calls_per_minute", tool.gate.calls_per_minute, {0, 1'000'000});
}

}  // namespace

void read_tool_settings(SectionReader& tools, ToolSettingsByName& settings) {
  tools.entries("settings", [&](const std::string& name, SectionReader& inner) {
    read_settings(inner, settings[name]);
  });
}

std::optional<ToolSettings> settings_of(const ToolSettingsByName& all, const std::string& tool) {
  const auto found = all.find(tool);
  if (found == all.end()) return ToolSettings{};
  if (!found->second.enabled) return std::nullopt;
  return found->second;
}

void apply(const ToolSettings& settings, ToolDescriptor& descriptor) {
  if (settings.default_level) descriptor.default_level = settings.default_level;
  if (settings.encoding) descriptor.encoding = settings.encoding;
  if (settings.timeout) descriptor.timeout = *settings.timeout;
  if (!settings.retry_on_timeout) descriptor.retry_on_timeout = false;
  if (settings.cache_policy) descriptor.cache_policy = *settings.cache_policy;
  if (settings.cache_scope) descriptor.cache_scope = *settings.cache_scope;
}

std::vector<SettingProblem> validate(const ToolSettingsByName& all) {
  std::vector<SettingProblem> problems;
  for (const auto& [tool, settings] : all) {
    const CachePolicy policy = settings.cache_policy.value_or(CachePolicy::NoCache);
    KeyChecks(problems, "tools.settings." + tool)
        .expect(policy == CachePolicy::NoCache || !kNeverCached.contains(tool), "cache_policy",
                std::string(to_string(policy)), "no_cache: results of this tool are never kept");
  }
  return problems;
}

}  // namespace ba::tools
