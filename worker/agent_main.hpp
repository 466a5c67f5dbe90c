#pragma once
// SPDX-License-Identifier: Apache-2.0
// The whole program, with a place for a test build to put something around the worker's ports.

#include "worker/runtime/run_worker.hpp"

namespace ba {

/// Parses the command line, runs one command, answers with the process's exit code.
int agent_main(int argc, char** argv, const runtime::Decorators& decorators);

}  // namespace ba
