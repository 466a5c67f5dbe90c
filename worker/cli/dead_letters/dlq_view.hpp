#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the commands of `dlq` are given, and dead letters and dead jobs on a terminal and as JSON.

#include <optional>
#include <string>
#include <vector>

#include "storage/dead_letters.hpp"
#include "worker/cli/program/command.hpp"
#include "worker/cli/program/terminal.hpp"

namespace ba::cli {

/// What the commands about dead letters share.
struct DlqArguments {
  std::vector<std::string> ids;
  std::string tenant;  ///< empty: any, and records, which have none
  std::string reason;
  std::optional<Milliseconds> since;
  int rows_max = 100;
  bool json = false;
};

struct DlqRedriveArguments {
  DlqArguments dlq;
  bool dry_run = false;
  std::string edit;  ///< file
  std::optional<int> from_round;
  std::string new_id;
  bool again = false;
  std::string by;
};

/// The options that choose by tenant, reason and age.
void declare_dlq_filter(CLI::App& app, DlqArguments& dlq);

/// Whether there may be more than the command is about.
bool filtered(const DlqArguments& arguments);

/// As the storage is asked for them.
storage::DeadFilter filter_of(const DlqArguments& arguments);

void show_dead_table(const std::vector<storage::DeadThing>& things, Terminal& terminal);

/// The head of one thing: reason, source, and what was done about it.
void show_dead_head(const storage::DeadThing& thing, Terminal& terminal);

/// The original record; cut unless `full`.
void show_dead_record(const DeadLetter& letter, bool full, Terminal& terminal);

/// One line of JSON: what the ledger knows.
std::string dead_as_json(const storage::DeadThing& thing);

/// That with `dead_letter`, the message of schemas/ba/v1/dead_letter.proto, and `value`, the
/// original as text where it is UTF-8.
std::string dead_record_as_json(const storage::DeadThing& thing, const DeadLetter& letter);

/// That with `dead_letter`, or null where the ledger has none: not each failed job leaves one, and
/// retention removes them. Corrupt: `record` is no dead letter.
Result<std::string> dead_job_as_json(const storage::DeadThing& thing,
                                     const std::optional<OutboxRecord>& record);

/// "redriven 2026-03-01 12:00:00 by ann as acme/job-42.redrive-1"; empty where it never was.
std::string last_redrive_text(const storage::DeadThing& thing);

}  // namespace ba::cli
