#pragma once
// SPDX-License-Identifier: Apache-2.0
// What differs between two readings of a configuration. Pure; any thread.

#include <string>
#include <vector>

#include "worker/settings/findings.hpp"

namespace ba::config {

/// The keys whose values differ, and those that only one of them has, sorted. Secrets are compared
/// as they are shown, so that a changed one is not among them.
std::vector<std::string> changed_settings(const std::vector<settings::Setting>& before,
                                          const std::vector<settings::Setting>& after);

}  // namespace ba::config
