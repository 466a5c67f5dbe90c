// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "storage/query.hpp"
#include "worker/cli/commands.hpp"
#include "worker/cli/dlq_view.hpp"
#include "worker/cli/needs.hpp"
#include "worker/cli/timeline_view.hpp"

namespace ba {
namespace {

DeadFilter filter_of(const DlqArguments& arguments) {
  DeadFilter filter;
  filter.ids = arguments.ids;
  filter.reason = arguments.reason;
  filter.newer_than = arguments.since;
  filter.rows_max = arguments.rows_max;
  return filter;
}

int show_job(const PgAccess& access, const JobName& name, bool full, Terminal& terminal) {
  const auto found = find_job(access, name.tenant, name.job);
  if (!found) return terminal.fail(found.error());
  terminal.out() << "\n";
  if (*found) show_timeline(**found, full, terminal);
  return kExitOk;
}

}  // namespace

int dlq_list_command(const DlqListArguments& arguments, const Session& session) {
  Terminal& terminal = session.terminal;
  const auto access = postgres_of(session.config());
  if (!access) return terminal.fail(access.error());
  const auto things = list_dead(*access, filter_of(arguments.dlq));
  if (!things) return terminal.fail(things.error());
  if (arguments.dlq.json) {
    for (const DeadThing& thing : *things)
      terminal.out() << dead_as_json(thing, std::nullopt) << "\n";
  } else if (things->empty()) {
    terminal.message("no dead letters");
  } else {
    show_dead_table(*things, terminal);
    if (static_cast<int>(things->size()) == arguments.dlq.rows_max)
      terminal.message("the newest " + std::to_string(things->size()) + "; --max shows more");
  }
  return kExitOk;
}

int dlq_show_command(const DlqShowArguments& arguments, const Session& session) {
  Terminal& terminal = session.terminal;
  const auto access = postgres_of(session.config());
  if (!access) return terminal.fail(access.error());
  const auto things = list_dead(*access, filter_of(arguments.dlq));
  if (!things) return terminal.fail(things.error());
  const DeadThing& thing = things->front();
  std::optional<DeadRecord> record;
  if (!thing.job) {
    auto found = find_dead_record(*access, thing.letter);
    if (!found) return terminal.fail(found.error());
    record = std::move(*found);
  }
  if (arguments.dlq.json) {
    terminal.out() << dead_as_json(thing, record) << "\n";
    return kExitOk;
  }
  show_dead_head(thing, terminal);
  if (thing.job) return show_job(*access, *thing.job, arguments.full, terminal);
  show_dead_record(*record, arguments.full, terminal);
  return kExitOk;
}

}  // namespace ba
