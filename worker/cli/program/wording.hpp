#pragma once
// SPDX-License-Identifier: Apache-2.0
// Numbers, times and tables as a person reads them. Pure functions; a table is used and dropped by
// a command.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/time.hpp"
#include "pipeline/core/job/outcome.hpp"
#include "worker/cli/program/terminal.hpp"

namespace ba::cli {

std::string thousands(std::int64_t number);                  ///< "12,345"
std::string seconds_text(Microseconds duration);             ///< "0.4 s", "3 min 12 s", "2 h 5 min"
std::string dollars_text(std::int64_t micro_usd);            ///< "$0.0012", "$1.25"
std::string counted(std::int64_t number, const char* word);  ///< "1 round", "2 rounds"
std::string cost_text(std::int64_t micro_usd, bool known);   ///< "$0.01", "at least $0.01", …
std::string clock_text(WallTime time);                       ///< "2026-03-01 12:00:00" (UTC)

/// On one line and at most `letters_max` code points, cut with "…".
std::string shortened(std::string_view text, std::size_t letters_max);

/// "2 rounds · 5 steps · 3 tool calls (1 failed) · 1,234 in / 56 out tokens · $0.0012".
std::string totals_text(const JobTotals& totals);

class Table {
 public:
  explicit Table(std::vector<std::string> heading);

  /// As many cells as the heading has; texts that others wrote are made printable here.
  void add(std::vector<std::string> cells);

  void write(Terminal& terminal) const;
  std::size_t rows() const { return rows_.size() - 1; }

 private:
  std::vector<std::vector<std::string>> rows_;  ///< the heading first
};

}  // namespace ba::cli
