// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "pipeline/text/contract/result_id.hpp"
#include "storage/query.hpp"
#include "worker/cli/dead_letters/dlq_filter.hpp"
#include "worker/cli/dead_letters/dlq_view.hpp"
#include "worker/cli/jobs/timeline_view.hpp"
#include "worker/cli/program/commands.hpp"
#include "worker/cli/program/needs.hpp"

namespace ba {
namespace {

int show_record(const DeadThing& thing, const PgAccess& access, const DlqShowArguments& arguments,
                Terminal& terminal) {
  const auto letter = find_dead_record(access, thing.letter);
  if (!letter) return terminal.fail(letter.error());
  if (arguments.dlq.json) {
    terminal.out() << dead_record_as_json(thing, *letter) << "\n";
    return kExitOk;
  }
  show_dead_head(thing, terminal);
  show_dead_record(*letter, arguments.full, terminal);
  return kExitOk;
}

int job_as_json(const DeadThing& thing, const PgAccess& access, Terminal& terminal) {
  const auto letter =
      find_outbox_record(access, result_id(thing.job->tenant, thing.job->job, kDeadLetterKind));
  if (!letter) return terminal.fail(letter.error());
  const auto json = dead_job_as_json(thing, *letter);
  if (!json) return terminal.fail(json.error());
  terminal.out() << *json << "\n";
  return kExitOk;
}

int show_job(const DeadThing& thing, const PgAccess& access, bool full, Terminal& terminal) {
  show_dead_head(thing, terminal);
  const auto found = find_job(access, thing.job->tenant, thing.job->job);
  if (!found) return terminal.fail(found.error());
  terminal.out() << "\n";
  if (*found) show_timeline(**found, full, terminal);
  return kExitOk;
}

}  // namespace

int dlq_list_command(const DlqListArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const auto access = ledger_of(session.config());
  if (!access) return terminal.fail(access.error());
  const auto things = list_dead(*access, filter_of(arguments.dlq));
  if (!things) return terminal.fail(things.error());
  if (arguments.dlq.json) {
    for (const DeadThing& thing : *things) terminal.out() << dead_as_json(thing) << "\n";
  } else if (things->empty()) {
    terminal.message(filtered(arguments.dlq) ? "no such dead letters" : "no dead letters");
  } else {
    show_dead_table(*things, terminal);
    if (static_cast<int>(things->size()) == arguments.dlq.rows_max)
      terminal.message("the newest " + std::to_string(things->size()) + "; --max shows more");
  }
  return kExitOk;
}

int dlq_show_command(const DlqShowArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const auto access = ledger_of(session.config());
  if (!access) return terminal.fail(access.error());
  const auto things = list_dead(*access, filter_of(arguments.dlq));
  if (!things) return terminal.fail(things.error());
  const DeadThing& thing = things->front();
  if (!thing.job) return show_record(thing, *access, arguments, terminal);
  if (arguments.dlq.json) return job_as_json(thing, *access, terminal);
  return show_job(thing, *access, arguments.full, terminal);
}

}  // namespace ba
