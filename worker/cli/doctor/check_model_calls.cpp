// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "worker/cli/doctor/check.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/cli/skills/skill_warnings.hpp"

namespace ba {
namespace {

/// Whether a job can come that names no model, to an agent that names none.
bool needs_default(const AgentProfiles& agents) {
  return std::ranges::any_of(agents, [](const auto& agent) { return agent.second.model.empty(); });
}

}  // namespace

std::set<std::string> models_in_use(const LoadedConfig& loaded) {
  const Config& config = loaded.config;
  std::set<std::string> named{config.llm.default_model, config.context.summary.model};
  for (const auto& [name, agent] : config.agents) named.insert(agent.model);
  for (const auto& [name, skill] : skills_of(loaded).skills) named.insert(skill->model);
  // Of a name that isn't there the configuration's errors tell.
  std::erase_if(named, [&](const std::string& name) {
    return name.empty() || config.llm.model(name) == nullptr;
  });
  return named;
}

Checks check_model_calls(const LoadedConfig& loaded, const std::set<std::string>& models,
                         const AskModel& ask) {
  if (!ask) return {warned("model call", "this program was built without what calls models", "")};
  Checks checks;
  if (loaded.config.llm.model("") == nullptr && needs_default(loaded.config.agents))
    checks.push_back(failed("model call", "there is no default model", "set llm.default_model"));
  for (const std::string& model : models) {
    const std::string name = "model call " + model;
    const auto answer = ask(loaded, model);
    checks.push_back(
        answer ? passed(name, shortened(*answer, 100))
               : failed(name, answer.error(),
                        "see the message; correct llm.models." + model + " or its provider"));
  }
  return checks;
}

}  // namespace ba
