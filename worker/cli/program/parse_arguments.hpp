#pragma once
// SPDX-License-Identifier: Apache-2.0
// The command line's grammar and its help texts; the only place that knows CLI11. Pure function.

#include <string>
#include <variant>

#include "worker/cli/program/arguments.hpp"

namespace ba {

/// There is nothing to run: help was asked for, or the line is wrong.
struct NothingToRun {
  int exit_code = 0;
  std::string out;  ///< for standard output
  std::string err;  ///< for standard error
};

std::variant<Arguments, NothingToRun> parse_arguments(int argc, const char* const* argv);

}  // namespace ba
