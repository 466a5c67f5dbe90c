#pragma once
// SPDX-License-Identifier: Apache-2.0
// Settings in force as a YAML document that can be loaded again (masked secrets have to be filled
// in). Pure function.

#include <string>
#include <vector>

#include "worker/config/findings.hpp"

namespace ba {

/// With `origins` each line ends in a comment that says where its value comes from.
std::string settings_as_yaml(const std::vector<Setting>& settings, bool origins);

}  // namespace ba
