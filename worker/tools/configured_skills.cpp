// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/configured_skills.hpp"

#include <utility>

#include "pipeline/base/joined.hpp"
#include "pipeline/base/nearest_word.hpp"

namespace ba::tools {
namespace {

std::set<std::string> model_names(const llm::LlmConfig& llm) {
  std::set<std::string> names;
  for (const llm::ModelConfig& model : llm.models) names.insert(model.name);
  return names;
}

}  // namespace

skills::SkillReview review_skills(const config::Config& config) {
  skills::SkillReview review = review_skills(
      skills::find_skills(config.tools.of<skills::SkillsConfig>()), model_names(config.llm));
  for (std::string& word : unknown_skills(config, review.skills))
    review.words.insert(std::move(word));
  return review;
}

std::vector<std::string> unknown_skills(const config::Config& config, const SkillSet& skills) {
  std::vector<std::string> known;
  for (const auto& [name, skill] : skills) known.push_back(name);
  std::vector<std::string> words;
  const auto look_at = [&](const std::string& key, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (name == "*" || skills.contains(name)) continue;
      const auto near = nearest_word(name, known);
      words.push_back(key + ": there is no skill '" + name + "'" +
                      (near ? "; did you mean '" + *near + "'?" : std::string()) +
                      " (there are: " + joined_or_none(known) + ")");
    }
  };
  for (const auto& [name, agent] : config.agents)
    look_at("agents." + name + ".skills", agent.skills);
  for (const auto& [tenant, names] : config.tools.of<skills::SkillsConfig>().tenants)
    look_at("skills.tenants." + tenant + ".skills", names);
  return words;
}

SkillOffers skill_offers(const config::Config& config, SkillSet skills) {
  SkillOffers offers;
  offers.skills = std::move(skills);
  for (const auto& [name, agent] : config.agents) offers.agents[name] = agent.skills;
  offers.tenants = config.tools.of<skills::SkillsConfig>().tenants;
  return offers;
}

std::unique_ptr<skills::SkillLibrary> skill_library(const config::Config& config,
                                                    Executor& executor, Log& log,
                                                    std::function<void(SkillSet)> changed) {
  return std::make_unique<skills::SkillLibrary>(config.tools.of<skills::SkillsConfig>(),
                                                model_names(config.llm), executor, log,
                                                std::move(changed));
}

}  // namespace ba::tools
