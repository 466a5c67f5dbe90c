#pragma once
// SPDX-License-Identifier: Apache-2.0
// Makes the built-in tools from their makers (families.hpp). Called once at start by whoever owns
// the result, and destroys it before what the tools run on (their threads are joined then).

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "worker/tools/base/tool_maker.hpp"

namespace ba {

struct BuiltTools {
  std::unique_ptr<ToolRegistry> registry;
  /// There only to be described, each with the key that would configure it.
  std::map<std::string, std::string> unconfigured;
  /// Of those to be described: what can't be made as it is configured, and why.
  std::map<std::string, Error> unmade;
  std::vector<std::string> warnings;         ///< for the log: what works but isn't as it should be
  std::vector<std::string> unused_settings;  ///< names in `tools.settings` that no tool here has
};

/// Those that are configured and not switched off. May wait up to connect_timeout for each data
/// source (its tables go into the description; what a writable one lacks is a warning). One that
/// can't be reached is a warning: it may come up later. InvalidArgument for configuration that
/// can't work: a root that is no directory, a login role that is a superuser.
Result<BuiltTools> build_tools(const std::vector<ToolMaker>& makers,
                               const ToolSettingsByName& settings, const ToolPorts& ports);

/// The same without asking any server, and with the tools that lack their configuration: to be
/// described and explained, not to be run. One that can't be made keeps no other from being there.
BuiltTools describe_tools(const std::vector<ToolMaker>& makers, const ToolSettingsByName& settings,
                          const ToolPorts& ports);

}  // namespace ba
