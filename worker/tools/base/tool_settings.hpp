#pragma once
// SPDX-License-Identifier: Apache-2.0
// What `tools.settings` says of a tool, whoever makes it. Values and pure functions.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/base/setting_problem.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/core/tool/gate_limits.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba::settings {
class SectionReader;
}  // namespace ba::settings

namespace ba::tools {

inline constexpr std::int64_t kToolTimeoutMsMax = 3'600'000;  // of the first try of a call

/// What can be set for any tool, under `tools.settings.<tool name>`.
struct ToolSettings {
  bool enabled = true;
  std::optional<OutputLevel> default_level;
  std::optional<DataEncoding> encoding;  ///< of its results; default: `tools.encoding`
  std::optional<Milliseconds> timeout;   ///< of the first try; default: the tool's own
  bool retry_on_timeout = true;          ///< false: a try that took too long was the last
  std::optional<CachePolicy> cache_policy;
  std::optional<CacheScope> cache_scope;
  GateLimits gate;  ///< of this worker

  friend bool operator==(const ToolSettings&, const ToolSettings&) = default;
};

using ToolSettingsByName = std::map<std::string, ToolSettings>;

/// `tools.settings.NAME`. `tools`: the section around it.
void read_tool_settings(settings::SectionReader& tools, ToolSettingsByName& settings);

/// The settings of a tool, or none when it is switched off.
std::optional<ToolSettings> settings_of(const ToolSettingsByName& all, const std::string& tool);

void apply(const ToolSettings& settings, ToolDescriptor& descriptor);

/// What no field alone can tell.
std::vector<SettingProblem> validate(const ToolSettingsByName& all);

}  // namespace ba::tools
