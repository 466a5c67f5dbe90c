#pragma once
// SPDX-License-Identifier: Apache-2.0
// How much a tool or a data source may be used by one worker: what is configured. Values.

#include <map>
#include <string>

namespace ba {

struct GateLimits {
  int concurrency_max = 0;   ///< under way at once; 0: any number
  int calls_per_minute = 0;  ///< that begin; up to ten seconds' worth at once; 0: any number

  bool any() const { return concurrency_max > 0 || calls_per_minute > 0; }
  friend bool operator==(const GateLimits&, const GateLimits&) = default;
};

/// By the name of a tool, and of a tool's data source: "query_database/sales".
using GateTable = std::map<std::string, GateLimits>;

}  // namespace ba
