// SPDX-License-Identifier: Apache-2.0
#include "worker/config/worker_section.hpp"

#include <unistd.h>

#include <array>

#include "worker/settings/section_reader.hpp"

namespace ba {

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "worker";
  return name.data();
}

void read_worker(settings::SectionReader& in, WorkerConfig& worker) {
  worker.name = host_name();
  in.read("name", worker.name);
  in.read("lease_ms", worker.lease, {1'000, 600'000});
  in.read("renew_interval_ms", worker.renew_interval, {50, 300'000});
  in.read("reap_interval_ms", worker.reap_interval, {50, 300'000});
  in.read("claim_interval_ms", worker.claim_interval, {10, 60'000});
  in.read("drain_grace_ms", worker.drain_grace, {0, 3'600'000});
  if (worker.name.empty() || worker.name.size() > 200)
    in.error("name", SettingProblem::Kind::NotAllowed,
             "must have 1 to 200 characters, and has " + std::to_string(worker.name.size()));
  if (worker.renew_interval * 2 > worker.lease)
    in.conflict("renew_interval_ms", "lease_ms",
                "renew_interval_ms (" + std::to_string(worker.renew_interval.count()) +
                    ") must be at most half of lease_ms (" + std::to_string(worker.lease.count()) +
                    "), so that one lost renewal doesn't end the lease");
}

}  // namespace ba
