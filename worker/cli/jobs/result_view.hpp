#pragma once
// SPDX-License-Identifier: Apache-2.0
// How a result, and the report of a job or a conversation, are shown. One thread.

#include <string>
#include <vector>

#include "pipeline/core/job/outcome.hpp"
#include "storage/reports.hpp"
#include "worker/cli/program/terminal.hpp"

namespace ba::cli {

/// The answers on `out`, each under its question where there are several; how the job ended and
/// what it used on `err`.
void show_result(const JobResult& result, const std::vector<std::string>& questions,
                 Terminal& terminal);

/// One line of proto3 JSON.
std::string result_as_json(const JobResult& result);

/// "completed", in green, and the like.
std::string outcome_text(Outcome outcome, const Terminal& terminal);

/// Whose report it is, as the command line means it.
struct ReportName {
  std::string tenant;
  std::string name;
};

/// The report as it was published, or why there is none; the exit code.
int show_report(const storage::JobReport& job, const ReportName& named, bool json,
                Terminal& terminal);

/// That of all its jobs that have ended, with what isn't in it; the same.
int show_report(const storage::ConversationSums& sums, const ReportName& named, bool json,
                Terminal& terminal);

}  // namespace ba::cli
