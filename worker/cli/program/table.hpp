#pragma once
// SPDX-License-Identifier: Apache-2.0
// Rows under a heading, in columns as wide as what stands in them. Used and dropped by a command.

#include <string>
#include <vector>

#include "worker/cli/program/terminal.hpp"

namespace ba {

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

}  // namespace ba
