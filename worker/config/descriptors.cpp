// SPDX-License-Identifier: Apache-2.0
#include "worker/config/descriptors.hpp"

#include <sys/resource.h>

namespace ba::config {

/// A job has a connection to its model, a shard a producer with a few to the brokers; the rest are
/// pools, probes and files.
std::uint64_t descriptors_wanted(const Config& config) {
  constexpr int kOfAShard = 8;
  const int many = config.limits.running_jobs_max + kOfAShard * config.outbox.shards;
  return static_cast<std::uint64_t>(many) + kDescriptorsMin;
}

std::optional<std::uint64_t> descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  return limit.rlim_cur;
}

}  // namespace ba::config
