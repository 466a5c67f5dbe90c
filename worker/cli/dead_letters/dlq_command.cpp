// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "pipeline/text/contract/result_id.hpp"
#include "storage/query.hpp"
#include "worker/cli/dead_letters/dlq_view.hpp"
#include "worker/cli/jobs/timeline_view.hpp"
#include "worker/cli/program/command_options.hpp"

namespace ba::cli {
namespace {

struct ShowArguments {
  DlqArguments dlq;  ///< one id
  bool full = false;
};

void declare_list(CLI::App& app, DlqArguments& arguments) {
  declare_dlq_filter(app, arguments);
  json_flag(app, arguments.json, JsonForm::Lines);
}

void declare_show(CLI::App& app, ShowArguments& arguments) {
  app.add_option("id", arguments.dlq.ids, "A number of a record, or TENANT/JOB of a job")
      ->required()
      ->expected(1);
  app.add_flag("--full", arguments.full, "Cut nothing");
  json_flag(app, arguments.dlq.json, JsonForm::Document);
}

int show_record(const storage::DeadThing& thing, const storage::PgAccess& access,
                const ShowArguments& arguments, Terminal& terminal) {
  const auto letter = storage::find_dead_record(access, thing.letter);
  if (!letter) return terminal.fail(letter.error());
  if (arguments.dlq.json) {
    terminal.out() << dead_record_as_json(thing, *letter) << "\n";
    return kExitOk;
  }
  show_dead_head(thing, terminal);
  show_dead_record(*letter, arguments.full, terminal);
  return kExitOk;
}

int job_as_json(const storage::DeadThing& thing, const storage::PgAccess& access,
                Terminal& terminal) {
  const auto letter = storage::find_outbox_record(
      access, result_id(thing.job->tenant, thing.job->job, kDeadLetterKind));
  if (!letter) return terminal.fail(letter.error());
  const auto json = dead_job_as_json(thing, *letter);
  if (!json) return terminal.fail(json.error());
  terminal.out() << *json << "\n";
  return kExitOk;
}

int show_job(const storage::DeadThing& thing, const storage::PgAccess& access, bool full,
             Terminal& terminal) {
  show_dead_head(thing, terminal);
  const auto found = storage::find_job(access, thing.job->tenant, thing.job->job);
  if (!found) return terminal.fail(found.error());
  terminal.out() << "\n";
  if (*found) show_timeline(**found, full, terminal);
  return kExitOk;
}

int list(const DlqArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const auto things = storage::list_dead(*session.database, filter_of(arguments));
  if (!things) return terminal.fail(things.error());
  if (arguments.json) {
    for (const storage::DeadThing& thing : *things) terminal.out() << dead_as_json(thing) << "\n";
  } else if (things->empty()) {
    terminal.message(filtered(arguments) ? "no such dead letters" : "no dead letters");
  } else {
    show_dead_table(*things, terminal);
    if (static_cast<int>(things->size()) == arguments.rows_max)
      terminal.message("the newest " + std::to_string(things->size()) + "; --max shows more");
  }
  return kExitOk;
}

int show(const ShowArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const auto things = storage::list_dead(*session.database, filter_of(arguments.dlq));
  if (!things) return terminal.fail(things.error());
  const storage::DeadThing& thing = things->front();
  if (!thing.job) return show_record(thing, *session.database, arguments, terminal);
  if (arguments.dlq.json) return job_as_json(thing, *session.database, terminal);
  return show_job(thing, *session.database, arguments.full, terminal);
}

}  // namespace

Command dlq_list_command() {
  return command<DlqArguments>(
      {.name = "dlq list",
       .summary = "List dead letters, newest first",
       .examples = "  ba-agent dlq list\n"
                   "  ba-agent dlq list --reason BAD_JSON --since 2h --json\n"
                   "  ba-agent dlq list --tenant acme",
       .needs = kNeedsLedger},
      declare_list, list);
}

Command dlq_show_command() {
  return command<ShowArguments>(
      {.name = "dlq show",
       .summary = "Show one: the record, or the job's conversation",
       .examples = "  ba-agent dlq show 17\n  ba-agent dlq show acme/job-42 --full\n"
                   "  ba-agent dlq show acme/job-42 --json    # `dead_letter`: as in "
                   "dead_letter.proto",
       .needs = kNeedsLedger},
      declare_show, show);
}

}  // namespace ba::cli
