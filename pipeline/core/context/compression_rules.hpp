#pragma once
// SPDX-License-Identifier: Apache-2.0
// When a history is compressed, to what, and how. Values.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/enum_names.hpp"
#include "pipeline/base/time.hpp"

namespace ba {

enum class CompressionMode { Auto, Truncate, Extract, Summarize };
inline constexpr EnumNames<CompressionMode, 4> kCompressionModeNames{
    {{CompressionMode::Auto, "auto"},
     {CompressionMode::Truncate, "truncate"},
     {CompressionMode::Extract, "extract"},
     {CompressionMode::Summarize, "summarize"}}};

/// Reminders of the task in long rounds.
struct RefocusRules {
  int every_steps = 5;  ///< of a round; 0: none
  /// What makes a sentence of the task a constraint, in lower case.
  std::vector<std::string> constraint_words{"must",    "only",    "never",    "not",  "don't",
                                            "without", "at most", "at least", "必须", "只",
                                            "不要",    "不得",    "至少",     "至多"};

  friend bool operator==(const RefocusRules&, const RefocusRules&) = default;
};

/// In the place of a model's name: no summary is asked for.
inline constexpr std::string_view kNoSummaries = "off";

/// Summaries that a model writes.
struct SummaryRules {
  bool enabled = true;    ///< of mode auto
  int messages_min = 50;  ///< of a history, for mode auto
  std::string model;      ///< a configured one, or kNoSummaries; empty: the one that reads it
  int tokens_max = 500;   ///< of a summary
  Milliseconds timeout{10'000};
  int input_tokens_max = 16'000;  ///< of what it is made from; each message is cut for it
  std::vector<std::string> focus_areas{"tool_calls", "errors", "decisions"};
  int reuse_hours = 24;                            ///< of a summary of the same content
  std::int64_t cost_micro_usd_per_hour = 100'000;  ///< of all workers
  std::int64_t micro_usd_per_1000_tokens = 3'000;  ///< where no better is known

  friend bool operator==(const SummaryRules&, const SummaryRules&) = default;
};

/// Below that, mode auto asks for no summary whatever messages_min says.
inline constexpr int kSummaryMessagesLeast = 30;

struct CompressionRules {
  CompressionMode mode = CompressionMode::Auto;
  int threshold_percent = 80;    ///< of the window: above it a history is compressed
  int target_percent = 50;       ///< of the window
  int keep_recent_messages = 5;  ///< of truncate
  int keep_recent_rounds = 5;    ///< of extract: these stay complete
  /// What makes a sentence a decision, in lower case.
  std::vector<std::string> decision_words{"decided", "selected", "chose", "确定", "选择"};
  /// Of a provider that is asked to count what lies near to the threshold.
  Milliseconds exact_counting_timeout{2'000};
  SummaryRules summary;
  RefocusRules refocus;

  friend bool operator==(const CompressionRules&, const CompressionRules&) = default;
};

}  // namespace ba
