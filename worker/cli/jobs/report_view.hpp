#pragma once
// SPDX-License-Identifier: Apache-2.0
// What `ba-agent report` prints, and what it says where there is nothing to report. One thread.

#include <string>

#include "storage/reports.hpp"
#include "worker/cli/program/terminal.hpp"

namespace ba {

/// Whose report it is, as the command line means it.
struct ReportName {
  std::string tenant;
  std::string name;
};

/// The report as it was published, or why there is none; the exit code.
int show_report(const JobReport& job, const ReportName& named, bool json, Terminal& terminal);

/// That of all its jobs that have ended, with what isn't in it; the same.
int show_report(const ConversationSums& sums, const ReportName& named, bool json,
                Terminal& terminal);

}  // namespace ba
