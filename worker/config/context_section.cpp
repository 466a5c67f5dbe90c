// SPDX-License-Identifier: Apache-2.0
#include "worker/config/context_section.hpp"

#include "worker/config/section_reader.hpp"

namespace ba {
namespace {

/// `strategy` is another name of `mode`.
void read_mode(settings::SectionReader& in, CompressionRules& rules) {
  in.choice("mode", rules.mode, kCompressionModeNames);
  if (in.has("strategy")) in.choice("strategy", rules.mode, kCompressionModeNames);
  if (in.has("mode") && in.has("strategy"))
    in.error("strategy", "is another name of mode, which is given, too: give one of them");
  if (rules.mode != CompressionMode::Summarize) return;
  in.error("mode",
           "\"summarize\": summaries by a model aren't available yet; auto, truncate and "
           "extract are");
  rules.mode = CompressionMode::Auto;
}

}  // namespace

void read_context(settings::SectionReader& in, CompressionRules& rules) {
  read_mode(in, rules);
  in.number("threshold_percent", rules.threshold_percent, {1, 100});
  in.number("target_percent", rules.target_percent, {1, 100});
  in.number("keep_recent_messages", rules.keep_recent_messages, {1, 10'000});
  in.number("keep_recent_rounds", rules.keep_recent_rounds, {1, 10'000});
  in.texts("decision_words", rules.decision_words);
  if (rules.target_percent > rules.threshold_percent)
    in.conflict("target_percent", "threshold_percent",
                "target_percent (" + std::to_string(rules.target_percent) +
                    ") can't be above threshold_percent (" +
                    std::to_string(rules.threshold_percent) + ")");
}

}  // namespace ba
