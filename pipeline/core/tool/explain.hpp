#pragma once
// SPDX-License-Identifier: Apache-2.0
// What would become of a call, without running it: whether the guards let it, what it means, and
// whether its result would be kept. For people who ask, with nothing outside being touched. Pure;
// any thread.

#include <optional>

#include "pipeline/core/tool/call_reading.hpp"

namespace ba {

struct CallExplanation {
  std::optional<ToolError> refused;    ///< by the guards; none: it would run
  std::optional<CallReading> reading;  ///< none where the arguments don't fit
};

CallExplanation explain_call(const ToolRegistry& registry, const ToolRuntimeConfig& config,
                             const ToolRequest& request, const SqlReader& sql);

}  // namespace ba
