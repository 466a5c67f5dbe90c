// SPDX-License-Identifier: Apache-2.0
// AgentParts::reload(): takes over a changed configuration.
#include "pipeline/base/assert.hpp"
#include "pipeline/base/joined.hpp"
#include "worker/config/changed_settings.hpp"
#include "worker/config/load_config.hpp"
#include "worker/runtime/parts/agent_parts.hpp"
#include "worker/runtime/profiles.hpp"

namespace ba {
namespace {

constexpr std::string_view kAgents = "agents.";
constexpr std::string_view kSubAgents = ".sub_agents";

/// The tool `task` is made at the start, with who may ask whom; so an agent keeps whom it may ask.
AgentProfiles with_sub_agents_of(const AgentProfiles& start, AgentProfiles read) {
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
ConfigSources sources_of(const LoadedConfig& start) {
  ConfigSources sources = start.sources;
  if (!start.file.empty()) sources.file = start.file;
  return sources;
}

bool waits_for_next_start(const std::string& key) {
  if (is_price(key)) return false;
  return !key.starts_with(kAgents) || key.ends_with(kSubAgents);
}

}  // namespace

void AgentParts::reload() {
  StructuredLog& log = basis_.log;
  const LoadedConfig read = load_config(sources_of(basis_.loaded));
  if (!read.usable())
    return log.error("the configuration is wrong; it stays as it was",
                     {{"error", joined(read.findings.errors())}});
  const AgentProfiles wanted = with_sub_agents_of(basis_.config.agents, read.config.agents);
  if (const auto possible = directory_of(wanted); !possible)
    return log.error("the configuration is wrong; it stays as it was",
                     {{"error", possible.error().message}});
  basis_.prices.read(read.config.llm.models);
  auto directory = directory_of(wanted);
  BA_ASSERT(directory);
  directory->offer(skill_offers(config_with(wanted), directory_->skills().skills));
  profiles_ = wanted;
  *directory_ = std::move(directory.value());
  look_at_left_out_tools();
  log.info("the configuration was read again", {{"agents", wanted.size()}});
  std::vector<std::string> later;
  for (std::string& key : changed_settings(basis_.loaded.findings.settings, read.findings.settings))
    if (waits_for_next_start(key)) later.push_back(std::move(key));
  if (!later.empty())
    log.warning("changed settings take effect at the next start", {{"keys", joined(later)}});
}

}  // namespace ba
