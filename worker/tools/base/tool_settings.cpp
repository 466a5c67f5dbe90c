// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/base/tool_settings.hpp"

#include <set>

#include "pipeline/base/setting_problem.hpp"

namespace ba {
namespace {

/// Tools whose results are never kept, whatever a configuration says: they change something.
const std::set<std::string_view> kNeverCached{"file_write", "execute_command", "database_write"};

}  // namespace

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

}  // namespace ba
