// SPDX-License-Identifier: Apache-2.0
// The program: wires the parts together. Everything else is in a library that a test can call.

#include "worker/agent_main.hpp"

int main(int argc, char** argv) { return ba::agent_main(argc, argv, {}); }
