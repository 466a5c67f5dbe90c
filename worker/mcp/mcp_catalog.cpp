// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/mcp_catalog.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace ba::mcp {
namespace {

constexpr std::size_t kShownBytes = 200;

std::string called(const std::string& tool) {
  return "tool '" + plain_line(tool, kShownBytes) + "'";
}

/// As the server has it now, whatever models see; of one that is gone: as it was.
const ToolDefinition& as_listed(const KnownTool& known, const ToolList& list) {
  const auto now = std::ranges::find(list.tools, known.definition.name, &ToolDefinition::name);
  return now == list.tools.end() ? known.definition : *now;
}

/// Of a status tool that can't be asked, or of a key that isn't taken.
std::string comes_of_it(const KnownTool& known, bool is_new) {
  if (is_new) return "it runs once, and a lost answer leaves its outcome unknown";
  if (lost_its_key(known)) return "until then calls of it fail";
  return "until then a lost answer leaves its outcome unknown";
}

}  // namespace

CatalogChange Catalog::take(const ToolList& list) {
  CatalogChange change;
  change.warnings = list.warnings;
  std::set<std::string> listed;
  for (const ToolDefinition& tool : list.tools) {
    listed.insert(tool.name);
    const auto known = tools_.find(tool.name);
    if (known != tools_.end()) {
      take_known(*known->second, tool, change.warnings);
    } else if (enabled(tool.name) && approved(tool, change.warnings)) {
      change.added.push_back(tools_[tool.name] = make(tool));
    }
  }
  for (const auto& [name, known] : tools_) {
    const bool there = listed.contains(name);
    if (std::exchange(known->listed, there) && !there)
      change.warnings.push_back(called(name) + " is no longer listed; calls of it fail");
  }
  look_at_keys(list);
  look_at_status_tools(list, change);
  for (const auto& [name, hash] : config_.pins)
    if (!listed.contains(name))
      change.warnings.push_back(called(name) + " is pinned, and the server doesn't list it");
  return change;
}

/// What a tool is offered with stays; a key goes only to a tool that knows it at the moment.
void Catalog::look_at_keys(const ToolList& list) {
  for (const auto& [name, known] : tools_)
    known->takes_key =
        !known->key_argument.empty() && !key_defect(as_listed(*known, list), known->key_argument);
}

/// A tool whose status tool was no good when it was first offered runs once, for good: models and
/// rows know it so. Later it is the question that fails.
void Catalog::look_at_status_tools(const ToolList& list, CatalogChange& change) {
  for (const auto& [name, known] : tools_) {
    if (known->effect != EffectClass::Reconcilable) continue;
    const std::string defect = defect_of_status(as_listed(*known, list), list);
    const bool is_new = std::ranges::find(change.added, known) != change.added.end();
    if (defect != std::exchange(known->status_defect, defect) && !defect.empty())
      change.warnings.push_back(called(name) + ": " + defect + "; " + comes_of_it(*known, is_new));
    if (is_new && !defect.empty()) known->effect = EffectClass::Once;
  }
}

std::string Catalog::defect_of_status(const ToolDefinition& tool, const ToolList& list) const {
  const std::string& name = config_.tools.at(tool.name).status.tool;
  const auto asked = std::ranges::find(list.tools, name, &ToolDefinition::name);
  if (asked == list.tools.end())
    return "status_tool '" + plain_line(name, kShownBytes) + "' is not listed by the server";
  std::vector<std::string> unapproved;
  if (!approved(*asked, unapproved))
    return "status_tool '" + plain_line(name, kShownBytes) + "' is not as it was pinned";
  return status_defect(tool, *asked, config_).value_or("");
}

bool Catalog::enabled(const std::string& tool) const {
  const auto settings = config_.tools.find(tool);
  return settings == config_.tools.end() || settings->second.enabled;
}

bool Catalog::approved(const ToolDefinition& tool, std::vector<std::string>& warnings) const {
  if (config_.pins.empty()) return true;
  const auto pin = config_.pins.find(tool.name);
  if (pin == config_.pins.end())
    warnings.push_back(called(tool.name) + " is not pinned, others are: it is not offered (hash " +
                       tool.hash + ")");
  else if (pin->second != tool.hash)
    warnings.push_back(called(tool.name) + " is not as it was pinned: it is not offered (hash " +
                       tool.hash + ")");
  return pin != config_.pins.end() && pin->second == tool.hash;
}

void Catalog::take_known(KnownTool& known, const ToolDefinition& now,
                         std::vector<std::string>& warnings) {
  const bool same = known.definition.hash == now.hash;
  known.refused = !same && !config_.pins.empty();
  const std::string told = std::exchange(told_[now.name], same ? "" : now.hash);
  if (same || told == now.hash) return;
  warnings.push_back(called(now.name) +
                     (known.refused ? " has changed since it was pinned: it is refused"
                                    : " has changed; until the next start models see what it was") +
                     " (hash " + now.hash + ")");
}

std::shared_ptr<KnownTool> Catalog::make(const ToolDefinition& tool) const {
  auto known = std::make_shared<KnownTool>();
  known->definition = tool;
  known->effect = effect_of(tool.annotations, config_.trusted);
  known->may_be_cached = known->effect == EffectClass::Pure && tool.annotations.read_only;
  known->permission = config_.permission;
  const auto settings = config_.tools.find(tool.name);
  if (settings == config_.tools.end()) return known;
  known->effect = settings->second.effect.value_or(known->effect);
  if (settings->second.effect) known->may_be_cached = known->effect == EffectClass::Pure;
  known->permission = settings->second.permission.value_or(known->permission);
  known->cache_policy = settings->second.cache_policy.value_or(known->cache_policy);
  if (!key_defect(tool, settings->second.key_argument))
    known->key_argument = settings->second.key_argument;
  return known;
}

}  // namespace ba::mcp
