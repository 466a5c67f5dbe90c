#pragma once
// SPDX-License-Identifier: Apache-2.0
// For each protection the seed of a history that showed before that it was left out. It is tried
// first, so that the others needn't be looked for among thousands. A value.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ba::sim {

using KeptSeeds = std::map<std::string, std::uint64_t, std::less<>>;

/// Of a file of lines "NAME SEED"; those that begin with # are comments. None, with a message on
/// the console: it can't be read, or a line is none of these.
std::optional<KeptSeeds> read_kept_seeds(const std::string& path);

}  // namespace ba::sim
