#pragma once
// SPDX-License-Identifier: Apache-2.0
// The metrics of a conversation as data and as text. Pure functions.

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/core/metrics/job_metrics.hpp"

namespace ba {

struct ToolStatistics {
  std::string tool_name;
  int call_count = 0;
  double avg_duration_ms = 0;
  double avg_tokens = 0;
  double success_rate = 0;    ///< 0 to 1
  double error_rate = 0;      ///< 0 to 1
  int cache_hits = 0;         ///< calls answered by an earlier one that meant the same
  double cache_hit_rate = 0;  ///< 0 to 1, of all calls
  /// Nearest rank: the shortest that at least 95 % of the calls are no longer than.
  std::int64_t p95_duration_ms = 0;

  friend bool operator==(const ToolStatistics&, const ToolStatistics&) = default;
};

struct ConversationReport {
  ConversationId conversation_id;
  WallTime start_time{};
  WallTime end_time{};
  std::int64_t total_duration_ms = 0;
  JobTotals totals;  ///< usage, cost, savings, rounds, steps
  int successful_calls = 0;
  int failed_calls = 0;
  int retried_calls = 0;              ///< calls with at least one retry
  std::vector<ToolStatistics> tools;  ///< most calls first, then by name
  int skill_activations = 0;
  std::vector<std::string> unique_skills;  ///< sorted
  int messages_count = 0;
  int compression_events = 0;

  int total_calls() const { return successful_calls + failed_calls; }
  /// The share of the input that came from the provider's prompt cache, 0 to 1; 0 without input.
  double cached_input_share() const;
  friend bool operator==(const ConversationReport&, const ConversationReport&) = default;
};

ConversationReport conversation_report(const JobMetrics& metrics);

/// The text `Conversation Metrics Report`, each line ended by a newline.
std::string to_text(const ConversationReport& report);

}  // namespace ba
