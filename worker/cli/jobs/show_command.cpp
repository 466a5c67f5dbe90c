// SPDX-License-Identifier: Apache-2.0
#include "storage/query.hpp"
#include "worker/cli/jobs/job_arguments.hpp"
#include "worker/cli/jobs/named_job.hpp"
#include "worker/cli/jobs/timeline_view.hpp"
#include "worker/cli/program/command_options.hpp"

namespace ba::cli {
namespace {

void declare(CLI::App& app, ShowArguments& arguments) {
  app.add_option("job", arguments.job, std::string("The job's id") + kOrWithTenant)->required();
  tenant_of_id(app, arguments.tenant);
  app.add_flag("--full", arguments.full, "Cut nothing");
  json_flag(app, arguments.json, JsonForm::Document);
}

int show(const ShowArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const auto name = named_job(*session.database, arguments.job, arguments.tenant);
  if (!name) return terminal.fail(name.error());
  const auto found = storage::find_job(*session.database, name->tenant, name->job);
  if (!found) return terminal.fail(found.error());
  if (!*found) return terminal.fail(storage::no_such_job(*session.database, *name));
  if (arguments.json)
    show_timeline_json(**found, terminal);
  else
    show_timeline(**found, arguments.full, terminal);
  return kExitOk;
}

}  // namespace

Command show_command() {
  return command<ShowArguments>(
      {.name = "show",
       .summary = "Show a job's conversation as a time line",
       .examples = "  ba-agent show job-42\n  ba-agent show acme/job-42 --full\n"
                   "  ba-agent show job-42 --json | jq .steps",
       .needs = kNeedsDatabase},
      declare, show);
}

}  // namespace ba::cli
