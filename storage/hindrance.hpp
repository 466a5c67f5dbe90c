#pragma once
// SPDX-License-Identifier: Apache-2.0
// Why the ledger can't be used, and what mends it. A value.

#include <string>

namespace ba {

struct Hindrance {
  std::string message;    ///< names the role and what it lacks
  std::string remedy;     ///< SQL, or what to change
  bool may_pass = false;  ///< without anybody's doing: a standby that takes over
};

}  // namespace ba
