// SPDX-License-Identifier: Apache-2.0
// The version that the program with crash points reports instead of the product's, so that a test
// can change from one version to another in the middle of the work.

#include "worker/version/version.hpp"

namespace ba {

std::string_view program_version() { return "0.0.1-crash"; }
std::string_view program_commit() { return "crash"; }

}  // namespace ba
