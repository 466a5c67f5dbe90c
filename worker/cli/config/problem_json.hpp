#pragma once
// SPDX-License-Identifier: Apache-2.0
// A problem of the configuration as data, for programs that point at it. A pure function.

#include <nlohmann/json.hpp>

#include "worker/cli/program/terminal.hpp"
#include "worker/settings/findings.hpp"

namespace ba::cli {

/// {"file", "line", "column", "origin", "kind", "key", "value", "allowed", "nearest", "message"}:
/// null is what there is none of. Secrets are masked in each of them.
nlohmann::ordered_json problem_as_json(const settings::Finding& finding,
                                       const settings::Findings& findings,
                                       const Terminal& terminal);

}  // namespace ba::cli
