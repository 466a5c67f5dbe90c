#pragma once
// SPDX-License-Identifier: Apache-2.0
// Every command of the program, in the order of its help. The only list: grammar, help, errors of
// usage and what runs come from it. Pure function.

#include <vector>

#include "worker/cli/program/command.hpp"

namespace ba {

/// A group ("job") stands before its commands ("job list").
std::vector<Command> command_list();

}  // namespace ba
