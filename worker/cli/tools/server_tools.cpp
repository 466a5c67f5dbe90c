// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/tools/server_tools.hpp"

#include <algorithm>
#include <utility>

#include "worker/llm/tool_fits.hpp"
#include "worker/tools/agent_tools.hpp"

namespace ba::cli {
namespace {

bool belongs_to(const std::string& tool, const std::string& server) {
  return tool.starts_with(server + "_");
}

/// Each server that isn't switched off; of no others is there anything to say.
Result<std::vector<mcp::McpServerReport>> ask(const config::LoadedConfig& loaded,
                                              const CliSession& session) {
  if (!session.hooks.list_mcp_servers)
    return invalid_argument(
        "this program was built without the part that connects to servers of tools");
  std::vector<mcp::McpServerReport> servers = session.hooks.list_mcp_servers(loaded);
  std::erase_if(servers,
                [](const mcp::McpServerReport& server) { return server.state == "disabled"; });
  return servers;
}

/// Why it may lack a tool: the server's own list is not all that counts.
void tell_warnings(const mcp::McpServerReport& server, Terminal& terminal) {
  for (const std::string& warning : server.warnings)
    terminal.message(printable(server.name + ": " + warning));
}

Result<void> add(ToolCatalogue& catalogue, const mcp::McpServerReport& server,
                 const std::string& tool, const CliSession& session) {
  if (server.state == "ready") {
    if (auto added = catalogue.add(server); !added) return added;
    if (catalogue.find(tool) == nullptr) tell_warnings(server, session.terminal);
    return {};
  }
  if (catalogue.find(tool) == nullptr) return mcp::server_down(server, tool);
  session.terminal.message(printable(mcp::down_text(server)));
  return {};
}

ToolCatalogue catalogue_of(const config::LoadedConfig& loaded,
                           const std::vector<mcp::McpServerReport>& servers) {
  ToolCatalogue catalogue = ToolCatalogue::with_gaps(loaded.config);
  for (const mcp::McpServerReport& server : servers)
    if (server.state == "ready") static_cast<void>(catalogue.add(server));  // its check tells why
  return catalogue;
}

std::set<std::string> unconfigured(const ToolCatalogue& catalogue) {
  std::set<std::string> names;
  for (const std::string& name : catalogue.tools().names(std::nullopt))
    if (!catalogue.configured(name)) names.insert(name);
  return names;
}

/// Without what would be an error of the configuration.
void keep_known(config::AgentProfile& agent, const ToolCatalogue& catalogue) {
  std::erase_if(agent.tools, [&](const std::string& name) {
    if (name == "*") return false;
    const auto* entry = catalogue.find(name);
    return entry == nullptr || !catalogue.configured(name) ||
           agent.permission < entry->tool->descriptor().permission;
  });
}

}  // namespace

Result<ToolCatalogue> catalogue_with(const std::string& tool, const CliSession& session) {
  auto catalogue = ToolCatalogue::make(session.config());
  if (!catalogue) return catalogue;
  const bool built_in = catalogue->find(tool) != nullptr && catalogue->configured(tool);
  if (built_in || !mcp::may_offer(session.config().mcp, tool)) return catalogue;
  config::LoadedConfig its = session.loaded;
  std::erase_if(its.config.mcp.servers,
                [&](const mcp::McpServerConfig& server) { return !belongs_to(tool, server.name); });
  const auto servers = ask(its, session);
  if (!servers) return servers.error();
  for (const mcp::McpServerReport& server : *servers)
    if (auto added = add(*catalogue, server, tool, session); !added) return added.error();
  return catalogue;
}

Result<FullCatalogue> catalogue_with_all(const CliSession& session) {
  auto catalogue = ToolCatalogue::make(session.config());
  if (!catalogue) return catalogue.error();
  FullCatalogue full{std::move(*catalogue), true};
  const auto servers = ask(session.loaded, session);
  if (!servers) return servers.error();
  for (const mcp::McpServerReport& server : *servers) {
    if (server.state != "ready") {
      session.terminal.failure(printable(mcp::down_text(server)));
      full.all_up = false;
    } else if (auto added = full.catalogue.add(server); !added) {
      return added.error();
    }
  }
  return full;
}

std::vector<AgentTools> tools_of_agents(
    const config::LoadedConfig& loaded,
    const std::function<std::vector<mcp::McpServerReport>(const config::LoadedConfig&)>& list) {
  const bool servers = list && !loaded.config.mcp.servers.empty();
  const ToolCatalogue catalogue =
      catalogue_of(loaded, servers ? list(loaded) : std::vector<mcp::McpServerReport>());
  config::Config config = loaded.config;
  for (auto& [name, agent] : config.agents) keep_known(agent, catalogue);
  llm::ToolFits fits(config.llm);
  std::vector<AgentTools> found;
  for (const auto& [name, agent] : config.agents) {
    const llm::ModelConfig* model = config.llm.model(agent.model);
    const auto tools =
        tools::tools_of_agent(name, config, catalogue.tools(), unconfigured(catalogue));
    if (model == nullptr || !tools) continue;
    found.push_back(
        {name, model->name, fits.offer(model->name, *tools, tools::first_tools_of(agent))});
  }
  return found;
}

std::vector<LeftOutTool> left_out_of(const ToolDescriptor& tool, const llm::LlmConfig& models) {
  std::vector<LeftOutTool> found;
  const auto schema = SchemaCheck::compile(tool.parameters_schema, tool.schema_for_models);
  if (!schema) return found;  // it isn't offered to anybody
  llm::ToolFits fits(models);
  const std::vector<ToolSpec> alone{{tool.name, tool.description, schema->schema_for_models()}};
  for (const llm::ModelConfig& model : models.models) {
    ToolOffer offer = fits.offer(model.name, alone, {});
    std::ranges::move(offer.left_out, std::back_inserter(found));
  }
  return found;
}

}  // namespace ba::cli
