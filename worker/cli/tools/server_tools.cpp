// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/tools/server_tools.hpp"

#include <utility>

namespace ba {
namespace {

bool belongs_to(const std::string& tool, const std::string& server) {
  return tool.starts_with(server + "_");
}

/// Each server that isn't switched off; of no others is there anything to say.
Result<std::vector<McpServerReport>> ask(const LoadedConfig& loaded, const CliSession& session) {
  if (!session.hooks.list_mcp_servers)
    return invalid_argument("this program was built without what connects to servers of tools");
  std::vector<McpServerReport> servers = session.hooks.list_mcp_servers(loaded);
  std::erase_if(servers, [](const McpServerReport& server) { return server.state == "disabled"; });
  return servers;
}

/// Why it may lack a tool: the server's own list is not all that counts.
void tell_warnings(const McpServerReport& server, Terminal& terminal) {
  for (const std::string& warning : server.warnings)
    terminal.message(printable(server.name + ": " + warning));
}

Result<void> add(ToolCatalogue& catalogue, const McpServerReport& server, const std::string& tool,
                 const CliSession& session) {
  if (server.state == "ready") {
    if (auto added = catalogue.add(server); !added) return added;
    if (catalogue.find(tool) == nullptr) tell_warnings(server, session.terminal);
    return {};
  }
  if (catalogue.find(tool) == nullptr) return server_down(server, tool);
  session.terminal.message(printable(down_text(server)));
  return {};
}

}  // namespace

Result<ToolCatalogue> catalogue_with(const std::string& tool, const CliSession& session) {
  auto catalogue = ToolCatalogue::make(session.config());
  if (!catalogue) return catalogue;
  const bool built_in = catalogue->find(tool) != nullptr && catalogue->configured(tool);
  if (built_in || !may_offer(session.config().mcp, tool)) return catalogue;
  LoadedConfig its = session.loaded;
  std::erase_if(its.config.mcp.servers,
                [&](const McpServerConfig& server) { return !belongs_to(tool, server.name); });
  const auto servers = ask(its, session);
  if (!servers) return servers.error();
  for (const McpServerReport& server : *servers)
    if (auto added = add(*catalogue, server, tool, session); !added) return added.error();
  return catalogue;
}

Result<FullCatalogue> catalogue_with_all(const CliSession& session) {
  auto catalogue = ToolCatalogue::make(session.config());
  if (!catalogue) return catalogue.error();
  FullCatalogue full{std::move(*catalogue), true};
  const auto servers = ask(session.loaded, session);
  if (!servers) return servers.error();
  for (const McpServerReport& server : *servers) {
    if (server.state != "ready") {
      session.terminal.failure(printable(down_text(server)));
      full.all_up = false;
    } else if (auto added = full.catalogue.add(server); !added) {
      return added.error();
    }
  }
  return full;
}

}  // namespace ba
