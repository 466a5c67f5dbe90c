// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/config/summary_note.hpp"

#include <set>

#include "pipeline/base/joined.hpp"
#include "worker/settings/micro_usd.hpp"

namespace ba::cli {
namespace {

bool asks_for_some(const CompressionRules& rules) {
  if (rules.summary.model == kNoSummaries) return false;
  return rules.mode == CompressionMode::Summarize ||
         (rules.mode == CompressionMode::Auto && rules.summary.enabled);
}

std::string why_none(const CompressionRules& rules) {
  if (rules.summary.model == kNoSummaries) return "context.summary.model is \"off\"";
  if (rules.mode == CompressionMode::Auto) return "context.enable_llm_summarization is false";
  return "context.mode is \"" + std::string(name_of(kCompressionModeNames, rules.mode)) + "\"";
}

/// Whether one that reads all it may, without what its model thinks, costs more than all workers
/// may spend in an hour.
bool too_dear(const llm::ModelConfig& model, const SummaryRules& rules) {
  constexpr std::int64_t kMillion = 1'000'000;
  if (!model.prices) return false;
  const std::int64_t cost =
      rules.input_tokens_max * model.prices->input + rules.tokens_max * model.prices->output;
  return cost / kMillion > rules.cost_micro_usd_per_hour;
}

std::string what_is_too_dear(const std::set<std::string>& models, const SummaryRules& rules) {
  if (models.empty()) return "";
  return "; by " + joined(models) +
         " one may cost more than context.max_compression_cost_per_hour ($" +
         settings::micro_usd_text(rules.cost_micro_usd_per_hour) +
         " of all workers) allows, and isn't written then: raise that, or name a cheaper model as "
         "context.summary.model";
}

}  // namespace

std::string summary_note(const config::Config& config) {
  const CompressionRules& rules = config.context;
  const std::string summaries = "summaries of long conversations: ";
  if (!asks_for_some(rules)) return summaries + "none, as " + why_none(rules);
  if (!rules.summary.model.empty()) return summaries + "by model \"" + rules.summary.model + "\"";
  std::vector<std::string> writers;
  std::set<std::string> dear;
  for (const auto& [name, agent] : config.agents) {
    const llm::ModelConfig* model = config.llm.model(agent.model);
    if (model == nullptr) continue;
    writers.push_back(name + " \"" + model->name + "\"");
    if (too_dear(*model, rules.summary)) dear.insert("\"" + model->name + "\"");
  }
  return summaries + "by each agent's own model" +
         (writers.empty() ? std::string() : " (" + joined(writers, ", ") + ")") +
         what_is_too_dear(dear, rules.summary);
}

}  // namespace ba::cli
