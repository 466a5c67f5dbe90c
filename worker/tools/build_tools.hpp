#pragma once
// SPDX-License-Identifier: Apache-2.0
// Makes the built-in tools from their configuration. Called once at start by main, which owns the
// result and destroys it before the executor (the tools' threads are joined then).

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/tool/registry.hpp"
#include "worker/tools/tools_config.hpp"

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

/// A tool that another folder makes, to be among the built-in ones with all that is set for it.
struct ToolMaker {
  using Adjust = std::function<void(ToolDescriptor&)>;

  std::string name;
  bool configured = false;
  std::string setting;  ///< the key that configures it
  /// Called where the tool is wanted: `adjust` is to have its descriptor before it is handed over.
  std::function<Result<std::unique_ptr<Tool>>(const Adjust& adjust)> make;
};

/// May wait up to connect_timeout for each data source (its tables go into the description; what a
/// writable one lacks is a warning). One
/// that can't be reached is a warning: it may come up later. InvalidArgument for configuration that
/// can't work: a root that is no directory, a login role that is a superuser.
Result<BuiltTools> build_tools(const ToolsConfig& config, Executor& executor,
                               const std::vector<ToolMaker>& others = {});

/// The same without asking any server, and with the tools that lack their configuration: to be
/// described and explained, not to be run. One that can't be made keeps no other from being there.
BuiltTools describe_tools(const ToolsConfig& config, Executor& executor,
                          const std::vector<ToolMaker>& others = {});

}  // namespace ba
