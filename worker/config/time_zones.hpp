#pragma once
// SPDX-License-Identifier: Apache-2.0
// Time zones by their names in a configuration. Any thread; reads the system's files.

#include <string>

#include "pipeline/base/time_zone.hpp"

namespace ba::config {

/// UTC needs no file. InvalidArgument or NotFound, with what would be right.
Result<TimeZone> load_time_zone(const std::string& name);

}  // namespace ba::config
