#pragma once
// SPDX-License-Identifier: Apache-2.0
// How a tool is made, whoever makes it: a family's folder has a ToolMaker for each tool that there
// may be, build_tools() makes those that are wanted, and a server's tools come as MadeTool, too.
// Values; control thread only.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/skill/skill_meta_tools.hpp"
#include "pipeline/core/sub_agent/sub_agent_host.hpp"
#include "pipeline/core/tool/registry.hpp"
#include "worker/http/http_client.hpp"
#include "worker/tools/base/tool_settings.hpp"

namespace ba {

/// What tools run on. All of it outlives them.
struct ToolPorts {
  Executor& executor;
  HttpClient* http = nullptr;                ///< null: nobody calls a tool that needs it
  const SubAgentDesk* sub_agents = nullptr;  ///< null: there is no `task`
  SkillHost* skills = nullptr;               ///< null: there are no skills
};

/// A tool with its descriptor, which gets its settings before the tool is registered.
struct MadeTool {
  template <typename T>
  MadeTool(std::unique_ptr<T> made) : descriptor(&made->descriptor()), tool(std::move(made)) {}

  ToolDescriptor* descriptor;
  std::unique_ptr<Tool> tool;
};

/// What a maker is given, and says.
struct ToolMaking {
  const ToolPorts& ports;
  bool only_described;  ///< no server is asked, nothing is opened for writing, nobody will call it
  std::vector<std::string>& warnings;  ///< for the log: what works but isn't as it should be
};

/// One tool that there may be.
struct ToolMaker {
  std::string name;
  std::string setting;      ///< the key that configures it
  bool configured = false;  ///< otherwise it is made to be described only
  std::function<Result<MadeTool>(const ToolMaking& making)> make;
};

/// Gives the tool what is set for it, and registers it; false: it is switched off.
Result<bool> add_as_set(MadeTool made, const ToolSettingsByName& settings, ToolRegistry& registry);

}  // namespace ba
