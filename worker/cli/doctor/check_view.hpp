#pragma once
// SPDX-License-Identifier: Apache-2.0
// How `doctor` shows what a check found: for a person, one finding on a line, and as JSON. What it
// is given holds no secrets. One thread.

#include <nlohmann/json.hpp>

#include "worker/cli/doctor/check.hpp"
#include "worker/cli/program/terminal.hpp"

namespace ba {

void show_check(const Check& check, Terminal& terminal);

/// {"name": …, "status": "PASS", "WARN" or "FAIL", "message": …, "findings": […], "remedy": …}
nlohmann::ordered_json check_json(const Check& check);

}  // namespace ba
