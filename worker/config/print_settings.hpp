#pragma once
// SPDX-License-Identifier: Apache-2.0
// Settings in force as a YAML document that can be loaded again (masked secrets have to be filled
// in). Pure function.

#include <string>
#include <vector>

#include "worker/settings/findings.hpp"

namespace ba::config {

/// Whether who reads the document takes "${NAME}" for a variable's value and "$$" for a "$".
enum class Variables { FilledIn, NoneAtAll };

/// With `origins` each line ends in a comment that says where its value comes from.
std::string settings_as_yaml(const std::vector<settings::Setting>& settings, bool origins,
                             Variables variables = Variables::FilledIn);

}  // namespace ba::config
