// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/interrupt.hpp"

#include <csignal>

namespace ba::cli {
namespace {

// A signal handler can reach nothing else.
volatile std::sig_atomic_t g_requested = 0;
struct sigaction g_old_int;
struct sigaction g_old_term;

void on_signal(int) { g_requested = 1; }

}  // namespace

Interrupt::Interrupt() {
  g_requested = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, &g_old_int);
  sigaction(SIGTERM, &action, &g_old_term);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &g_old_int, nullptr);
  sigaction(SIGTERM, &g_old_term, nullptr);
}

bool Interrupt::requested() const { return g_requested != 0; }

}  // namespace ba::cli
