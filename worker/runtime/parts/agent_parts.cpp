// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/parts/agent_parts.hpp"

#include <map>
#include <set>
#include <utility>

#include "pipeline/base/assert.hpp"
#include "pipeline/base/joined.hpp"
#include "worker/config/changed_settings.hpp"
#include "worker/config/load_config.hpp"
#include "worker/runtime/settings.hpp"
#include "worker/tools/skills/skill_review.hpp"

namespace ba::runtime {
namespace {

constexpr std::string_view kAgents = "agents.";
constexpr std::string_view kSubAgents = ".sub_agents";

/// The tool `task` is made at the start, with who may ask whom; so an agent keeps whom it may ask.
config::AgentProfiles with_sub_agents_of(const config::AgentProfiles& start,
                                         config::AgentProfiles read) {
  for (auto& [name, profile] : read) {
    const auto known = start.find(name);
    profile.sub_agents =
        known == start.end() ? std::vector<std::string>() : known->second.sub_agents;
    std::erase_if(profile.sub_agents,
                  [&](const std::string& asked) { return !read.contains(asked); });
  }
  return read;
}

bool is_price(const std::string& key) {
  return key.starts_with("llm.models.") && key.find(".prices.") != std::string::npos;
}

/// The file that was read at the start is the one that must be there: without it, what is set
/// nowhere would have its default.
config::ConfigSources sources_of(const config::LoadedConfig& start) {
  config::ConfigSources sources = start.sources;
  if (!start.file.empty()) sources.file = start.file;
  return sources;
}

bool waits_for_next_start(const std::string& key) {
  if (is_price(key)) return false;
  return !key.starts_with(kAgents) || key.ends_with(kSubAgents);
}

}  // namespace

AgentParts::AgentParts(WorkerBasis& basis, const ToolRegistry& tools)
    : basis_(basis),
      tools_(tools),
      profiles_(basis.config.agents),
      fits_(basis.config.llm, [&log = basis.log](const LeftOutTool& left_out) {
        log.warning("a tool is left out for a model",
                    {{"tool", left_out.tool},
                     {"model", left_out.model},
                     {"reason", name_of(kLeftOutReasonNames, left_out.reason)},
                     {"message", left_out.why}});
      }) {}

Result<void> AgentParts::build() {
  auto directory = directory_of(profiles_);
  if (!directory) return directory.error();
  directory_ = std::make_unique<driver::AgentDirectory>(std::move(directory.value()));
  look_at_left_out_tools();
  read_skills();
  return {};
}

/// The configuration stays as it was at the start, but for the agents; prices have their own book.
config::Config AgentParts::config_with(const config::AgentProfiles& wanted) const {
  config::Config current = basis_.config;
  current.agents = wanted;
  return current;
}

Result<driver::AgentDirectory> AgentParts::directory_of(const config::AgentProfiles& wanted) const {
  return make_agent_directory(config_with(wanted), tools_, basis_.prices.reading());
}

void AgentParts::offer_new_tools() {
  auto directory = directory_of(profiles_);
  if (!directory)
    return basis_.log.error("tools that came later can't be offered",
                            {{"error", directory.error().message}});
  directory->offer(directory_->skills());
  *directory_ = std::move(directory.value());
  look_at_left_out_tools();
}

/// Of each agent's own model; of others a job's first request tells.
void AgentParts::look_at_left_out_tools() {
  std::map<LeftOutReason, std::set<std::pair<std::string, std::string>>> found;
  for (const auto& [name, profile] : directory_->profiles()) {
    const ToolOffer offer = fits_.offer(profile.model, profile.tools, profile.first_tools);
    for (const LeftOutTool& tool : offer.left_out)
      found[tool.reason].emplace(tool.tool, tool.model);
  }
  for (const auto& [reason, name] : kLeftOutReasonNames)
    basis_.metrics.tools_left_out(name, static_cast<std::int64_t>(found[reason].size()));
}

void AgentParts::warn_of_unknown_skills(const SkillSet& known) {
  for (const std::string& word : tools::unknown_skills(config_with(profiles_), known))
    basis_.log.warning("skills", {{"message", word}});
}

void AgentParts::read_skills() {
  skills_ = tools::skill_library(
      basis_.config, basis_.process.executor, basis_.log, [this](SkillSet found) {
        warn_of_unknown_skills(found);
        directory_->offer(tools::skill_offers(config_with(profiles_), std::move(found)));
      });
  if (!skills_->start()) warn_of_unknown_skills({});
}

void AgentParts::reload() {
  observe::StructuredLog& log = basis_.log;
  const config::LoadedConfig read = config::load_config(sources_of(basis_.loaded));
  if (!read.usable())
    return log.error("the configuration is wrong; it stays as it was",
                     {{"error", joined(read.findings.errors())}});
  const config::AgentProfiles wanted = with_sub_agents_of(basis_.config.agents, read.config.agents);
  if (const auto possible = directory_of(wanted); !possible)
    return log.error("the configuration is wrong; it stays as it was",
                     {{"error", possible.error().message}});
  basis_.prices.read(read.config.llm.models);
  auto directory = directory_of(wanted);
  BA_ASSERT(directory);
  directory->offer(tools::skill_offers(config_with(wanted), directory_->skills().skills));
  profiles_ = wanted;
  *directory_ = std::move(directory.value());
  look_at_left_out_tools();
  log.info("the configuration was read again", {{"agents", wanted.size()}});
  std::vector<std::string> later;
  for (std::string& key :
       config::changed_settings(basis_.loaded.findings.settings, read.findings.settings))
    if (waits_for_next_start(key)) later.push_back(std::move(key));
  if (!later.empty())
    log.warning("changed settings take effect at the next start", {{"keys", joined(later)}});
}

}  // namespace ba::runtime
