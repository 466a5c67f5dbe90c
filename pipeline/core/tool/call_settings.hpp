#pragma once
// SPDX-License-Identifier: Apache-2.0
// What an agent has set for its calls of one tool, over what is set for the tool. Values.

#include <map>
#include <optional>
#include <string>

#include "pipeline/base/time.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

struct CallSettings {
  std::optional<OutputLevel> level;         ///< where the model asks for none; none: the tool's
  std::optional<Milliseconds> timeout;      ///< of a call's first try; none: the tool's
  std::optional<CachePolicy> cache_policy;  ///< none: the tool's
  bool retry_on_timeout = true;             ///< false: a try that took too long was the last

  friend bool operator==(const CallSettings&, const CallSettings&) = default;
};

/// By the tool's name.
using ToolCallSettings = std::map<std::string, CallSettings>;

}  // namespace ba
