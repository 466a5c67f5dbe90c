// SPDX-License-Identifier: Apache-2.0
#include "worker/config/adapter_sections.hpp"

namespace ba::config {
namespace {

using Kind = SettingProblem::Kind;

/// `strategy` is another name of `mode`; only what was given is shown, so that it can be read
/// again.
void read_mode(settings::SectionReader& in, CompressionRules& rules) {
  if (in.wants("mode") || !in.has("strategy")) in.read("mode", rules.mode, kCompressionModeNames);
  if (in.wants("strategy")) in.read("strategy", rules.mode, kCompressionModeNames);
  if (in.has("mode") && in.has("strategy"))
    in.error("strategy", Kind::Conflict,
             "is another name of mode, which is given, too: give one of them");
}

constexpr std::int64_t kWholeMax = 1'000'000'000;

constexpr Bounds kDollars{0, kWholeMax * 1'000'000};

/// Under its name, or another that it has.
template <typename Value, typename Read>
void read_by_either(settings::SectionReader& in, const char* key, const char* alias, Value& value,
                    Read read) {
  if (in.wants(alias)) read(alias);
  const Value by_alias = value;
  read(key);
  if (in.has(alias) && value != by_alias)
    in.error(alias, Kind::Conflict,
             "is another name of " + std::string(key) + ", which is given, too: give one");
}

void read_summary(settings::SectionReader& in, SummaryRules& summary) {
  in.read("model", summary.model);
  in.read("max_summary_tokens", summary.tokens_max, {16, 16'000});
  in.read("timeout_ms", summary.timeout, {100, 600'000});
  in.read("max_input_tokens", summary.input_tokens_max, {500, 1'000'000});
  in.read("focus_areas", summary.focus_areas);
}

void read_summaries(settings::SectionReader& in, CompressionRules& rules) {
  SummaryRules& summary = rules.summary;
  in.read("enable_llm_summarization", summary.enabled);
  read_by_either(in, "llm_summarization_threshold", "llm_threshold", summary.messages_min,
                 [&](const char* key) {
                   in.read(key, summary.messages_min, {0, kWholeMax});
                 });
  in.read("summary_cache_ttl", summary.reuse_hours, {0, kWholeMax});
  read_by_either(in, "max_compression_cost_per_hour", "max_cost_per_hour",
                 summary.cost_micro_usd_per_hour, [&](const char* key) {
                   in.read(key, settings::Dollars{summary.cost_micro_usd_per_hour}, kDollars);
                 });
  in.read("summary_cost_per_1000_tokens_usd", settings::Dollars{summary.micro_usd_per_1000_tokens},
          kDollars);
  in.section("summary", [&](settings::SectionReader& inner) { read_summary(inner, summary); });
  if (rules.mode == CompressionMode::Summarize && summary.model == kNoSummaries)
    in.error("mode", Kind::Conflict,
             "\"summarize\" has summaries written, and context.summary.model is \"off\": name a "
             "model there, leave it empty for the agent's own, or take mode \"extract\"");
}

}  // namespace

void read_context(settings::SectionReader& in, CompressionRules& rules) {
  read_mode(in, rules);
  in.read("threshold_percent", rules.threshold_percent, {1, 100});
  in.read("target_percent", rules.target_percent, {1, 100});
  in.read("keep_recent_messages", rules.keep_recent_messages, {1, 10'000});
  in.read("keep_recent_rounds", rules.keep_recent_rounds, {1, 10'000});
  in.read("exact_counting_timeout_ms", rules.exact_counting_timeout, {100, 60'000});
  in.read("decision_words", rules.decision_words);
  in.read("refocus_every_steps", rules.refocus.every_steps, {0, 1000});
  in.read("constraint_words", rules.refocus.constraint_words);
  read_summaries(in, rules);
  in.at_most("target_percent", rules.target_percent, "threshold_percent", rules.threshold_percent);
}

}  // namespace ba::config
