// SPDX-License-Identifier: Apache-2.0
// The program with crash points (crash_points.hpp). For tests only.

#include "tests/support/crash_points.hpp"
#include "worker/agent_main.hpp"

int main(int argc, char** argv) { return ba::agent_main(argc, argv, ba::crash_decorators()); }
