#pragma once
// SPDX-License-Identifier: Apache-2.0
// Section `worker`: the life of one worker process. Values.

#include <string>

#include "pipeline/base/time.hpp"

namespace ba {

namespace settings {
class SectionReader;
}

struct WorkerConfig {
  std::string name;            ///< for people; default: the host's name
  Milliseconds lease{10'000};  ///< after this long without a sign of life a worker is dead
  Milliseconds renew_interval{2'500};
  Milliseconds reap_interval{2'000};
  Milliseconds claim_interval{500};  ///< how often to look for ready jobs when nothing arrives
  Milliseconds drain_grace{20'000};  ///< how long a SIGTERM waits for running steps

  friend bool operator==(const WorkerConfig&, const WorkerConfig&) = default;
};

/// Of this machine; "worker" where it has none.
std::string host_name();

void read_worker(settings::SectionReader& in, WorkerConfig& worker);

}  // namespace ba
