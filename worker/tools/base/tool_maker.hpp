// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a tool is made, whoever makes it: a family's folder has a ToolMaker for each tool that there
// may be (families.hpp), build_tools() makes those that are wanted, and a server's tools come as
// MadeTool, too. Who calls build_tools(), once at start, owns the result, and destroys it before
// what the tools run on (their threads are joined then). Values; control thread only.

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
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

namespace ba::tools {

/// What tools run on. All of it outlives them.
struct ToolPorts {
  Executor& executor;
  http::HttpClient* http = nullptr;          ///< null: nobody calls a tool that needs it
  const SubAgentDesk* sub_agents = nullptr;  ///< null: there is no `task`
  SkillHost* skills = nullptr;               ///< null: there are no skills
};

/// A tool that holds its descriptor.
class DescribedTool : public Tool {
 public:
  const ToolDescriptor& descriptor() const final { return descriptor_; }
  ToolDescriptor& descriptor() { return descriptor_; }  ///< to be changed before registration only

 protected:
  ToolDescriptor descriptor_;
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

/// What a tool has to do with artifacts, the whole of large results.
enum class ArtifactRole {
  None,
  Makes,  ///< it gives data, of which a large result becomes one
  Reads,  ///< a call may get at one
};

/// One tool that there may be.
struct ToolMaker {
  std::string name;
  std::string setting;      ///< the key that configures it
  bool configured = false;  ///< otherwise it is made to be described only
  std::function<Result<MadeTool>(const ToolMaking& making)> make;
  ArtifactRole artifacts = ArtifactRole::None;
};

/// Gives the tool what is set for it, and registers it; false: it is switched off.
Result<bool> add_as_set(MadeTool made, const ToolSettingsByName& settings, ToolRegistry& registry);

/// The JSON Schema of a call that has these properties and no others.
std::string call_schema(nlohmann::ordered_json properties, nlohmann::ordered_json required);

/// Of a text that isn't empty. `semantic`: what makes two of them the same (x-semantic).
nlohmann::ordered_json text_property(int chars_max, const char* description, const char* semantic);

/// A call's end by this error.
inline RawToolResult failed_with(ToolError error) {
  RawToolResult result;
  result.error = std::move(error);
  return result;
}

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

}  // namespace ba::tools
