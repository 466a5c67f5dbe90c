#pragma once
// SPDX-License-Identifier: Apache-2.0
// Looks at what a process and all below it take. Any thread.

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/base/time.hpp"

namespace ba {

struct TreeUse {
  std::int64_t memory_bytes = 0;  ///< resident and swapped; shared pages count for each process
  Milliseconds cpu{0};            ///< also of those that were waited for
};

/// Of a process and its descendants, from /proc. Those that end meanwhile count for nothing.
TreeUse use_of_tree(pid_t root);

/// How many files and directories the file systems of these directories hold, as that process sees
/// them. 0 for one that it doesn't have yet: still this process's, or not there.
std::int64_t files_seen_by(pid_t process, const std::vector<std::string>& directories);

}  // namespace ba
