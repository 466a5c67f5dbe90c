// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "worker/cli/doctor/check.hpp"

namespace ba {
namespace {

Check check_server(const McpServerReport& server) {
  const std::string name = "mcp server " + server.name;
  if (server.state != "ready")
    return failed(name, server.failure.empty() ? "it is " + server.state : server.failure,
                  "start it, or correct mcp.servers." + server.name);
  const auto offered =
      std::count_if(server.tools.begin(), server.tools.end(),
                    [](const McpToolReport& tool) { return !tool.exposed.empty(); });
  const std::string tools = "revision " + server.revision + ", " + std::to_string(offered) +
                            (offered == 1 ? " tool is" : " tools are") + " offered";
  if (server.warnings.empty()) return passed(name, tools);
  return warned(name, tools + "; " + server.warnings.front(),
                "`ba-agent mcp list` tells all of it");
}

}  // namespace

Checks check_mcp_servers(const LoadedConfig& loaded, const ListMcpServers& list) {
  Checks checks;
  if (!list || loaded.config.mcp.servers.empty()) return checks;
  for (const McpServerReport& server : list(loaded))
    if (server.state != "disabled") checks.push_back(check_server(server));
  return checks;
}

}  // namespace ba
