#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether the programs that servers of tools are started by are here. Looks at files, starts
// nothing. Used by commands; one thread.

#include <string>
#include <vector>

#include "worker/config/config.hpp"

namespace ba::cli {

/// "<origin>: <key>: …" for each enabled server whose program isn't found as it would be when it is
/// started.
std::vector<std::string> missing_programs(const config::LoadedConfig& loaded);

}  // namespace ba::cli
