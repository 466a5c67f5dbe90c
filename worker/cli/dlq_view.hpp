#pragma once
// SPDX-License-Identifier: Apache-2.0
// Dead letters and dead jobs on a terminal and as JSON.

#include <optional>
#include <string>
#include <vector>

#include "storage/dead_letters.hpp"
#include "worker/cli/terminal.hpp"

namespace ba {

void show_dead_table(const std::vector<DeadThing>& things, Terminal& terminal);

/// The head of one thing: reason, source, and what was done about it.
void show_dead_head(const DeadThing& thing, Terminal& terminal);

/// The original record; cut unless `full`.
void show_dead_record(const DeadRecord& record, bool full, Terminal& terminal);

/// One line of JSON; with the record, its value as base64 and, where it is UTF-8, as text.
std::string dead_as_json(const DeadThing& thing, const std::optional<DeadRecord>& record);

/// "redriven 2026-03-01 12:00:00 by ann as acme/job-42.redrive-1"; empty where it never was.
std::string last_redrive_text(const DeadThing& thing);

}  // namespace ba
