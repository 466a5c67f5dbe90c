// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/dead_letters/dlq_arguments.hpp"

#include <algorithm>
#include <string_view>

#include "pipeline/base/joined.hpp"
#include "pipeline/text/contract/record.hpp"
#include "worker/cli/program/command_options.hpp"

namespace ba {
namespace {

std::string reason_problem(const std::string& word) {
  for (const auto& codes : {std::vector<std::string_view>(kRecordCodes.begin(), kRecordCodes.end()),
                            std::vector<std::string_view>(kJobCodes.begin(), kJobCodes.end())})
    if (std::find(codes.begin(), codes.end(), word) != codes.end()) return {};
  return "\"" + word + "\" is no reason; there are: " + joined(kRecordCodes) + ", " +
         joined(kJobCodes);
}

}  // namespace

void declare_dlq_filter(CLI::App& app, DlqArguments& dlq) {
  filter_option(app, "--tenant", dlq.tenant,
                "Only this tenant's jobs (default: all); a record that is no job has no tenant");
  app.add_option("--reason", dlq.reason,
                 "Only with this reason: " + joined(kRecordCodes) + "; " + joined(kJobCodes))
      ->check(reason_problem);
  age_option(app, "--since", dlq.since, "Only of this time until now");
  max_option(app, dlq.rows_max);
}

bool filtered(const DlqArguments& arguments) {
  return !arguments.tenant.empty() || !arguments.reason.empty() || arguments.since.has_value();
}

DeadFilter filter_of(const DlqArguments& arguments) {
  DeadFilter filter;
  filter.ids = arguments.ids;
  filter.tenant = arguments.tenant;
  filter.reason = arguments.reason;
  filter.newer_than = arguments.since;
  filter.rows_max = arguments.rows_max;
  return filter;
}

}  // namespace ba
