#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a model and telemetry get of a command that is over. Any thread.

#include <map>
#include <string>

#include "pipeline/base/time.hpp"
#include "worker/tools/command/sandbox.hpp"

namespace ba {

/// A JSON object: `ended` (exit, signal, timeout, output_limit, memory_limit, files_limit,
/// cancelled), `exit_code` and `signal` where there are such, a note on what isn't plain, both
/// outputs as UTF-8, and the times. A signal is told by an exit code of 128 and its number: that is
/// all that the shell and bubblewrap say, also of a program that exits like this by itself.
/// `waited`: for its turn.
std::string command_answer(SandboxOutcome outcome, Milliseconds waited);

/// cpu_ms, cpu_percent (of one processor), memory_peak_mb, queue_wait_ms.
std::map<std::string, double> command_metrics(const SandboxOutcome& outcome, Milliseconds waited);

}  // namespace ba
