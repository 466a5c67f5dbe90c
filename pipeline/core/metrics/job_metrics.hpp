#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the driver observed of one job, the input of its metrics report. Values.

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/base/ids.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/core/job/outcome.hpp"

namespace ba {

struct ToolCallMetrics {
  std::string tool_name;
  Milliseconds duration{0};  ///< all tries
  std::int64_t tokens = 0;   ///< of arguments and observation; 0 where they weren't counted
  bool success = true;       ///< false: failed, or its outcome is unknown
  bool retried = false;      ///< at least one retry
  bool cache_hit = false;    ///< answered by an earlier call that meant the same

  friend bool operator==(const ToolCallMetrics&, const ToolCallMetrics&) = default;
};

struct JobMetrics {
  ConversationId conversation_id;
  WallTime start_time{};
  WallTime end_time{};
  std::vector<ToolCallMetrics> tool_calls;
  JobTotals totals;  ///< usage, cost, savings, rounds, steps; its call counts are not read
  int skill_activations = 0;
  std::vector<std::string> skills;  ///< activated ones; may repeat
  int messages_count = 0;           ///< that the job added to its conversation
  int compression_events = 0;

  friend bool operator==(const JobMetrics&, const JobMetrics&) = default;
};

}  // namespace ba
