#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads the configuration: file, environment and flags into a Config, with all that is wrong with
// them. One thread.

#include <vector>

#include "worker/config/config.hpp"

namespace ba::config {

/// Never fails as such: what is wrong stands in findings.problems, all of it at once.
LoadedConfig load_config(const ConfigSources& sources);

/// Everything that can be set, with its default; kAnyName stands for names that users choose.
std::vector<settings::Setting> outlined_settings();

}  // namespace ba::config
