#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the kernel says of this process, for the process_* metrics. Any thread.

namespace ba::observe {

struct ProcessStats {
  double cpu_seconds = 0;  ///< user and system
  double resident_bytes = 0;
  double virtual_bytes = 0;
  double open_files = 0;
  double threads = 0;
  double start_time_seconds = 0;  ///< since the epoch
};

ProcessStats read_process_stats();

}  // namespace ba::observe
