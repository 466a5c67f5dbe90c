// SPDX-License-Identifier: Apache-2.0
#include "worker/config/agent_sources.hpp"

#include <algorithm>

#include "pipeline/base/setting_problem.hpp"

namespace ba {
namespace {

constexpr const char* kEverySource = "*";

std::vector<std::string> configured_sources(const Config& config) {
  std::set<std::string> names;
  for (const DataSourceConfig& source : config.tools.data_sources) names.insert(source.name);
  for (const WriteSourceConfig& source : config.tools.write_sources) names.insert(source.name);
  return {names.begin(), names.end()};
}

}  // namespace

std::optional<std::set<std::string>> allowed_sources(const Config& config,
                                                     const AgentProfile& agent) {
  if (std::ranges::find(agent.data_sources, kEverySource) != agent.data_sources.end())
    return std::nullopt;
  std::set<std::string> allowed;
  for (const std::string& name : agent.data_sources) {
    allowed.insert("data_source:" + name);
    for (const VectorIndexConfig& index : config.vector_search.indexes)
      if (index.data_source == name) allowed.insert("index:" + index.name);
  }
  return allowed;
}

std::vector<SettingProblem> validate_agent_sources(const Config& config) {
  const std::vector<std::string> known = configured_sources(config);
  std::vector<SettingProblem> problems;
  for (const auto& [agent, profile] : config.agents)
    for (const std::string& name : profile.data_sources)
      if (name != kEverySource)
        KeyChecks(problems, "agents." + agent)
            .there_is(name, known, "data_sources", "data source", {"tools.data_sources"});
  return problems;
}

}  // namespace ba
