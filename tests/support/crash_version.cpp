// SPDX-License-Identifier: Apache-2.0
// The version that the program with crash points reports instead of the product's, and another one
// where BA_CRASH_VERSION names it, so that a test can change from one version to another in the
// middle of the work. Its counted tools are of that version, too.

#include <cstdlib>

#include "worker/version/version.hpp"

namespace ba {

std::string_view program_version() {
  const char* asked = std::getenv("BA_CRASH_VERSION");
  return asked && *asked ? asked : "0.0.1-crash";
}

std::string_view program_commit() { return "crash"; }

}  // namespace ba
