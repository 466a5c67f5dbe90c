// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/base/tool_settings.hpp"

namespace ba {

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

}  // namespace ba
