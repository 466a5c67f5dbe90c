// SPDX-License-Identifier: Apache-2.0
#include "worker/config/config_checks.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "pipeline/base/joined.hpp"
#include "pipeline/base/nearest_word.hpp"
#include "worker/config/configured_tools.hpp"
#include "worker/config/exact_counting.hpp"
#include "worker/tools/families.hpp"

namespace ba::config {
namespace {

using settings::Origin;
using Kind = SettingProblem::Kind;

/// The value of `key` names a model, or none.
void check_model(const std::string& key, const std::string& name, LoadedConfig& loaded) {
  if (name.empty() || loaded.config.llm.model(name) != nullptr) return;
  if (loaded.findings.is_wrong("llm.models")) return;
  std::vector<std::string> known;
  for (const llm::ModelConfig& model : loaded.config.llm.models) known.push_back(model.name);
  const auto near = nearest_word(name, known);
  const std::string asked = loaded.findings.excerpt(name);
  const std::string nearest = near ? settings::quoted(*near) : "";
  const std::string meant = near ? "; did you mean " + nearest + "?" : "";
  loaded.findings.add(loaded.findings.origin_of(key),
                      {.kind = Kind::NotThere,
                       .key = key,
                       .value = asked,
                       .allowed = joined(known),
                       .nearest = nearest,
                       .words = asked + " is not a configured model" + meant +
                                " (there are: " + joined_or_none(known) + ")"});
}

/// Without providers and models nobody else looks at it: the environment may bring them.
void check_default_model(LoadedConfig& loaded) {
  const std::string& name = loaded.config.llm.default_model;
  if (name.empty()) return;
  loaded.findings.add_all(
      {{.kind = Kind::NoSuchName,
        .key = "llm.default_model",
        .value = loaded.findings.excerpt(name),
        .allowed = "llm.models, and there are none: write the model there and its "
                   "provider under llm.providers, or leave default_model out",
        .follows_from = {"llm.models", "llm.providers"}}});
}

/// What a summary is made from and the summary itself fit into its model's window: what was set
/// must, the default is made to.
void check_summaries(LoadedConfig& loaded) {
  SummaryRules& rules = loaded.config.context.summary;
  if (rules.model == kNoSummaries && loaded.config.llm.model(rules.model) != nullptr)
    loaded.findings.error(loaded.findings.origin_of("context.summary.model"),
                          "context.summary.model", Kind::Conflict,
                          "\"off\" means that no summaries are written, and a model in llm.models "
                          "has that name: name the model otherwise");
  if (rules.model == kNoSummaries || rules.model.empty()) return;
  check_model("context.summary.model", rules.model, loaded);
  const llm::ModelConfig* model = loaded.config.llm.model(rules.model);
  if (model == nullptr || model->context_window == 0) return;
  const std::int64_t room = model->context_window - rules.tokens_max;
  if (rules.input_tokens_max <= room) return;
  const std::string key = "context.summary.max_input_tokens";
  if (loaded.findings.origin_of(key).kind == Origin::Kind::Default) {
    rules.input_tokens_max = std::max<std::int64_t>(room, 1);
    return;
  }
  loaded.findings.error(loaded.findings.origin_of(key), key, Kind::Conflict,
                        std::to_string(rules.input_tokens_max) + " must be at most " +
                            std::to_string(room) + ": model \"" + rules.model +
                            "\" has a window of " + std::to_string(model->context_window) +
                            " tokens, and context.summary.max_summary_tokens of them are the "
                            "summary's");
}

/// A result must fit into a record with its headers, or Kafka would refuse it.
void check_result_bytes(LoadedConfig& loaded) {
  constexpr std::int64_t kHeadersMax = 64 * 1024;
  const Config& config = loaded.config;
  const std::int64_t record =
      std::min(config.kafka.outbox.record_bytes_max, config.kafka.topic_settings.record_bytes_max);
  if (config.limits.result_bytes_max + kHeadersMax <= record) return;
  const std::string key = "limits.result_bytes_max";
  loaded.findings.error(
      loaded.findings.origin_of(key), key, Kind::Conflict,
      std::to_string(config.limits.result_bytes_max) + " must be at least 65536 below " +
          "kafka.publisher.record_bytes_max and kafka.topic_settings.record_bytes_max (the " +
          "smaller is " + std::to_string(record) + "), so that a result fits into a record");
}

/// A record that could still be read again must find its job, or it would run a second time.
void check_retention(LoadedConfig& loaded) {
  const RetentionRules& rules = loaded.config.retention.rules;
  const Milliseconds topics = loaded.config.kafka.topic_settings.results_retention;
  const auto check = [&](const std::string& key, const RetentionRules::Age& age) {
    if (!age || *age >= topics) return;
    loaded.findings.error(loaded.findings.origin_of(key), key, Kind::Conflict,
                          std::to_string(*age / std::chrono::days(1)) +
                              " days are less than kafka.topic_settings.results_retention_ms (" +
                              std::to_string(topics.count()) +
                              "): a record that is read again would run again");
  };
  check("retention.jobs_days", rules.jobs);
  check("retention.dead_letters_days", rules.dead_letters);
  for (const auto& [tenant, age] : rules.tenants)
    check("retention.tenants." + tenant.value + ".jobs_days", age);
}

}  // namespace

void check_whole(LoadedConfig& loaded) {
  const Config& config = loaded.config;
  settings::Findings& findings = loaded.findings;
  findings.add_all(kafka::problems_of(config.kafka));
  if (!config.llm.providers.empty() || !config.llm.models.empty())
    findings.add_all(validate(config.llm));
  else
    check_default_model(loaded);
  findings.add_all(validate(config.tools));
  findings.add_all(validate(config.tool_runtime.retry));
  findings.add_all(validate(config.mcp));
  findings.add_all(validate_sub_agents(config.agents));
  findings.add_all(validate_agent_sources(config));
  check_result_bytes(loaded);
  check_retention(loaded);
  for (const auto& [name, profile] : config.agents)
    check_model("agents." + name + ".model", profile.model, loaded);
  check_summaries(loaded);
  check_exact_counting(loaded);
  for (const auto& [key, what] : agents_without_artifacts(config))
    if (!findings.is_wrong(key)) findings.warning(findings.origin_of(key), key, what);
}

}  // namespace ba::config
