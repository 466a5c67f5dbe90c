#pragma once
// SPDX-License-Identifier: Apache-2.0
// A job's result for people and for programs.

#include <string>
#include <vector>

#include "pipeline/core/job/outcome.hpp"
#include "worker/cli/program/terminal.hpp"

namespace ba {

/// The answers on `out`, each under its question where there are several; how the job ended and
/// what it used on `err`.
void show_result(const JobResult& result, const std::vector<std::string>& questions,
                 Terminal& terminal);

/// One line of proto3 JSON.
std::string result_as_json(const JobResult& result);

/// "completed", in green, and the like.
std::string outcome_text(Outcome outcome, const Terminal& terminal);

}  // namespace ba
