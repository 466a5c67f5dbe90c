#pragma once
// SPDX-License-Identifier: Apache-2.0
// How many files and connections a worker may open at once, and how many its settings may take.

#include <cstdint>
#include <optional>
#include <string>

#include "worker/config/config.hpp"

namespace ba::config {

/// With fewer, shards that it owns can't be published, and a drain can't connect anew.
inline constexpr std::uint64_t kDescriptorsMin = 256;

std::uint64_t descriptors_wanted(const Config& config);

/// The limit of this process (RLIMIT_NOFILE). None: it can't be asked for.
std::optional<std::uint64_t> descriptor_limit();

/// What to do where the limit is too low.
inline constexpr const char* kDescriptorsRemedy =
    "raise the limit (ulimit -n, LimitNOFILE= of its service)";

}  // namespace ba::config
