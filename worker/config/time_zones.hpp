#pragma once
// SPDX-License-Identifier: Apache-2.0
// Time zones by the names of the IANA database, from the system's compiled files (package tzdata).
// Any thread; reads a file.

#include <string>

#include "pipeline/base/time_zone.hpp"

namespace ba {

/// UTC needs no file. InvalidArgument or NotFound, with what would be right.
Result<TimeZone> load_time_zone(const std::string& name);

}  // namespace ba
