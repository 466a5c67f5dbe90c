#pragma once
// SPDX-License-Identifier: Apache-2.0
// Names that a configuration gives to data sources, roots and indexes. Pure functions.

#include <set>
#include <string>
#include <string_view>

#include "pipeline/base/setting_problem.hpp"

namespace ba::tools {

/// [a-z][a-z0-9_]{0,62}
bool well_named(std::string_view name);

void check_well_named(KeyChecks& checks, const std::string& value);

/// Also that nothing else in the list has it.
void check_name(KeyChecks& checks, const std::string& value, std::set<std::string>& taken);

/// "tools.data_sources[1]"
std::string indexed(const char* key, std::size_t index);

}  // namespace ba::tools
