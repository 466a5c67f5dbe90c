#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which agents have no way to the rest of a large result. Pure function; any thread.

#include <string>
#include <utility>
#include <vector>

#include "worker/config/config.hpp"

namespace ba {

/// The key and what is to be said of it, for each agent whose tools give data and none of whose
/// tools reads artifacts. Nothing where no artifacts are kept.
std::vector<std::pair<std::string, std::string>> agents_without_artifacts(const Config& config);

}  // namespace ba
