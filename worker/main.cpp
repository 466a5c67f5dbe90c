// SPDX-License-Identifier: Apache-2.0
// The program. Everything is in libraries, so that a test can call it.

#include "worker/agent_main.hpp"

int main(int argc, char** argv) { return ba::agent_main(argc, argv, {}); }
