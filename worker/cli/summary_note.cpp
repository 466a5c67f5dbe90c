// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/summary_note.hpp"

#include "pipeline/base/joined.hpp"

namespace ba {
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

}  // namespace

std::string summary_note(const Config& config) {
  const CompressionRules& rules = config.context;
  const std::string summaries = "summaries of long conversations: ";
  if (!asks_for_some(rules)) return summaries + "none, as " + why_none(rules);
  if (!rules.summary.model.empty()) return summaries + "by model \"" + rules.summary.model + "\"";
  std::vector<std::string> writers;
  for (const auto& [name, agent] : config.agents) {
    const ModelConfig* model = config.llm.model(agent.model);
    if (model != nullptr) writers.push_back(name + " \"" + model->name + "\"");
  }
  return summaries + "by each agent's own model" +
         (writers.empty() ? std::string() : " (" + joined(writers, ", ") + ")");
}

}  // namespace ba
