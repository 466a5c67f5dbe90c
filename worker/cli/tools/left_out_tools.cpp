// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/tools/left_out_tools.hpp"

#include <algorithm>

#include "worker/cli/tools/tool_catalogue.hpp"
#include "worker/llm/tool_fits.hpp"
#include "worker/tools/agent_tools.hpp"

namespace ba {
namespace {

ToolCatalogue catalogue_of(const LoadedConfig& loaded,
                           const std::vector<McpServerReport>& servers) {
  ToolCatalogue catalogue = ToolCatalogue::with_gaps(loaded.config);
  for (const McpServerReport& server : servers)
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
void keep_known(AgentProfile& agent, const ToolCatalogue& catalogue) {
  std::erase_if(agent.tools, [&](const std::string& name) {
    if (name == "*") return false;
    const auto* entry = catalogue.find(name);
    return entry == nullptr || !catalogue.configured(name) ||
           agent.permission < entry->tool->descriptor().permission;
  });
}

}  // namespace

std::vector<AgentTools> tools_of_agents(
    const LoadedConfig& loaded,
    const std::function<std::vector<McpServerReport>(const LoadedConfig&)>& list) {
  const bool servers = list && !loaded.config.mcp.servers.empty();
  const ToolCatalogue catalogue =
      catalogue_of(loaded, servers ? list(loaded) : std::vector<McpServerReport>());
  Config config = loaded.config;
  for (auto& [name, agent] : config.agents) keep_known(agent, catalogue);
  ToolFits fits(config.llm);
  std::vector<AgentTools> found;
  for (const auto& [name, agent] : config.agents) {
    const ModelConfig* model = config.llm.model(agent.model);
    const auto tools = tools_of_agent(name, config, catalogue.tools(), unconfigured(catalogue));
    if (model == nullptr || !tools) continue;
    found.push_back({name, model->name, fits.offer(model->name, *tools, first_tools_of(agent))});
  }
  return found;
}

std::vector<LeftOutTool> left_out_of(const ToolDescriptor& tool, const LlmConfig& models) {
  std::vector<LeftOutTool> found;
  const auto schema = SchemaCheck::compile(tool.parameters_schema, tool.schema_for_models);
  if (!schema) return found;  // it isn't offered to anybody
  ToolFits fits(models);
  const std::vector<ToolSpec> alone{{tool.name, tool.description, schema->schema_for_models()}};
  for (const ModelConfig& model : models.models) {
    ToolOffer offer = fits.offer(model.name, alone, {});
    std::ranges::move(offer.left_out, std::back_inserter(found));
  }
  return found;
}

}  // namespace ba
