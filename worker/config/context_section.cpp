// SPDX-License-Identifier: Apache-2.0
#include "worker/config/adapter_sections.hpp"

#include "worker/settings/micro_usd.hpp"

namespace ba {
namespace {

/// `strategy` is another name of `mode`; only what was given is shown, so that it can be read
/// again.
void read_mode(settings::SectionReader& in, CompressionRules& rules) {
  if (in.wants("mode") || !in.has("strategy")) in.read("mode", rules.mode, kCompressionModeNames);
  if (in.wants("strategy")) in.read("strategy", rules.mode, kCompressionModeNames);
  if (in.has("mode") && in.has("strategy"))
    in.error("strategy", "is another name of mode, which is given, too: give one of them");
}

constexpr std::int64_t kWholeMax = 1'000'000'000;

/// A whole number that isn't negative; errors call it `name`, as people know it.
void read_whole(settings::SectionReader& in, const char* key, const char* name, int& value) {
  int read = value;
  in.read(key, read, {-kWholeMax, kWholeMax});
  if (read < 0)
    in.error(key, std::string(name) + " must be non-negative: " + std::to_string(read));
  else
    value = read;
}

void read_dollars(settings::SectionReader& in, const char* key, const char* name,
                  std::int64_t& micro_usd) {
  std::int64_t read = micro_usd;
  in.read(key, settings::Dollars{read}, {-kWholeMax * 1'000'000, kWholeMax * 1'000'000});
  if (read < 0)
    in.error(key, std::string(name) + " must be non-negative: " + settings::micro_usd_text(read));
  else
    micro_usd = read;
}

/// Under its name, or another that it has.
template <typename Value, typename Read>
void read_by_either(settings::SectionReader& in, const char* key, const char* alias, Value& value,
                    Read read) {
  if (in.wants(alias)) read(in, alias, alias, value);
  const Value by_alias = value;
  read(in, key, alias, value);
  if (in.has(alias) && value != by_alias)
    in.error(alias, "is another name of " + std::string(key) + ", which is given, too: give one");
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
                 read_whole);
  read_whole(in, "summary_cache_ttl", "summary_cache_ttl", summary.reuse_hours);
  read_by_either(in, "max_compression_cost_per_hour", "max_cost_per_hour",
                 summary.cost_micro_usd_per_hour, read_dollars);
  read_dollars(in, "summary_cost_per_1000_tokens_usd", "summary_cost_per_1000_tokens_usd",
               summary.micro_usd_per_1000_tokens);
  in.section("summary", [&](settings::SectionReader& inner) { read_summary(inner, summary); });
  if (rules.mode == CompressionMode::Summarize && summary.model == kNoSummaries)
    in.error("mode",
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

}  // namespace ba
