#pragma once
// SPDX-License-Identifier: Apache-2.0
// What `tools.settings` says of a tool, whoever makes it. Pure functions.

#include <functional>
#include <optional>
#include <string>

#include "worker/tools/tools_config.hpp"

namespace ba {

/// The settings of a tool, or none when it is switched off.
std::optional<ToolSettings> settings_of(const ToolsConfig& config, const std::string& tool);

void apply(const ToolSettings& settings, ToolDescriptor& descriptor);

/// For tools that others list: applies what is set for a descriptor's name; false where the tool is
/// switched off. `config` outlives what is returned.
std::function<bool(ToolDescriptor&)> as_set_in(const ToolsConfig& config);

}  // namespace ba
