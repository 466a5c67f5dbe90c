// SPDX-License-Identifier: Apache-2.0
// The grammar of `ba-agent dlq`.
#include <algorithm>
#include <string_view>
#include <vector>

#include "pipeline/base/joined.hpp"
#include "pipeline/text/contract/dead_letter_code.hpp"
#include "worker/cli/dead_letters/dlq_filter.hpp"
#include "worker/cli/program/command_grammar.hpp"

namespace ba {
namespace {

std::string reason_problem(const std::string& word) {
  for (const auto& codes : {std::vector<std::string_view>(kRecordCodes.begin(), kRecordCodes.end()),
                            std::vector<std::string_view>(kJobCodes.begin(), kJobCodes.end())})
    if (std::find(codes.begin(), codes.end(), word) != codes.end()) return {};
  return "\"" + word + "\" is no reason; there are: " + joined(kRecordCodes) + ", " +
         joined(kJobCodes);
}

void filter_options(CLI::App& app, DlqArguments& dlq) {
  app.add_option("--tenant", dlq.tenant,
                 "Only this tenant's jobs (default: all); a record that is no job has no tenant")
      ->check(not_empty());
  app.add_option("--reason", dlq.reason,
                 "Only with this reason: " + joined(kRecordCodes) + "; " + joined(kJobCodes))
      ->check(reason_problem);
  age_option(app, "--since", dlq.since, "Only of this time until now");
  app.add_option("--max", dlq.rows_max, "At most so many (default 100)")
      ->check(number_from(1, 100'000));
}

void add_list(CLI::App& parent, const Chosen& chosen) {
  CLI::App* app = command(parent, "list", "List dead letters, newest first",
                          "  ba-agent dlq list\n"
                          "  ba-agent dlq list --reason BAD_JSON --since 2h --json\n"
                          "  ba-agent dlq list --tenant acme");
  auto arguments = std::make_shared<DlqListArguments>();
  filter_options(*app, arguments->dlq);
  json_flag(*app, arguments->dlq.json);
  app->callback([=] { chosen(*arguments); });
}

void add_show(CLI::App& parent, const Chosen& chosen) {
  CLI::App* app =
      command(parent, "show", "Show one: the record, or the job's conversation",
              "  ba-agent dlq show 17\n"
              "  ba-agent dlq show acme/job-42 --full\n"
              "  ba-agent dlq show acme/job-42 --json    # `dead_letter`: as in dead_letter.proto");
  auto arguments = std::make_shared<DlqShowArguments>();
  app->add_option("id", arguments->dlq.ids, "A number of a record, or TENANT/JOB of a job")
      ->required()
      ->expected(1);
  app->add_flag("--full", arguments->full, "Cut nothing");
  json_flag(*app, arguments->dlq.json);
  app->callback([=] { chosen(*arguments); });
}

void check_redrive(const DlqRedriveArguments& arguments) {
  const DlqArguments& dlq = arguments.dlq;
  if (dlq.ids.empty() && !filtered(dlq))
    throw CLI::ValidationError("redrive", "say which: ids, --tenant, --reason or --since");
  if (!dlq.ids.empty() && filtered(dlq))
    throw CLI::ValidationError("redrive", "give ids, or --tenant, --reason and --since, not both");
  if (dlq.ids.size() == 1) return;
  if (!arguments.edit.empty() || !arguments.new_id.empty())
    throw CLI::ValidationError("redrive", "--edit and --as are for one id");
}

void add_redrive(CLI::App& parent, const Chosen& chosen) {
  CLI::App* app = command(
      parent, "redrive", "Send records again, run jobs on",
      "  ba-agent dlq redrive --reason BAD_JSON --since 1d --dry-run\n"
      "  ba-agent dlq redrive --tenant acme --dry-run\n"
      "  ba-agent dlq redrive 17 --edit mended.json\n"
      "  ba-agent dlq redrive acme/job-42                    # from where it had stopped\n"
      "  ba-agent dlq redrive acme/job-42 --from-round 1 --as job-42b\n\n"
      "A record that is sent as it was is refused as it was, unless the workers are others\n"
      "now or their limits are; where that can be seen, a line on standard error says so.");
  auto arguments = std::make_shared<DlqRedriveArguments>();
  app->add_option("id", arguments->dlq.ids, "Numbers of records, TENANT/JOB of jobs");
  filter_options(*app, arguments->dlq);
  app->add_flag("--dry-run", arguments->dry_run, "Only say what would be done");
  app->add_option("--edit", arguments->edit, "The record's new bytes, or the job's as JSON")
      ->type_name("FILE");
  app->add_option("--from-round", arguments->from_round,
                  "Run the job from this round on (the first is 0)")
      ->check(number_from(0, 1'000'000));
  app->add_option("--as", arguments->new_id, "The new job's id (default: made)");
  app->add_flag("--again", arguments->again, "Also what was redriven before");
  app->add_option("--by", arguments->by, "Who does it (default: the account, at this host)");
  json_flag(*app, arguments->dlq.json);
  app->callback([=] {
    check_redrive(*arguments);
    chosen(*arguments);
  });
}

}  // namespace

void add_dlq(CLI::App& parent, const Chosen& chosen) {
  CLI::App* dlq = command(parent, "dlq", "List, show and redrive what could not be run",
                          "  ba-agent dlq list\n  ba-agent dlq redrive 17");
  dlq->require_subcommand(1);
  add_list(*dlq, chosen);
  add_show(*dlq, chosen);
  add_redrive(*dlq, chosen);
}

}  // namespace ba
