#pragma once
// SPDX-License-Identifier: Apache-2.0
// A job's conversation as a time line: rounds, steps, thoughts, calls, observations, answers.

#include "storage/query.hpp"
#include "worker/cli/program/terminal.hpp"

namespace ba::cli {

/// Long texts are shortened unless `full`.
void show_timeline(const storage::JobTimeline& timeline, bool full, Terminal& terminal);

/// Everything, as one JSON object: job, attempts, rounds, steps, messages (LangChain form),
/// tool_calls, result, metrics.
void show_timeline_json(const storage::JobTimeline& timeline, Terminal& terminal);

/// One line of JSON.
std::string summary_as_json(const storage::JobSummary& job);

}  // namespace ba::cli
