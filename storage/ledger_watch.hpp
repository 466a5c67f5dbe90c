#pragma once
// SPDX-License-Identifier: Apache-2.0
// Looks again and again whether a worker may still do its work in the ledger, with a thread and a
// connection of its own. Owned by the worker; hindrance() from any thread.

#include <memory>
#include <string>

#include "storage/access.hpp"

namespace ba {

class LedgerWatch {
 public:
  LedgerWatch(const PgAccess& access, Milliseconds interval);
  ~LedgerWatch();
  LedgerWatch(const LedgerWatch&) = delete;
  LedgerWatch& operator=(const LedgerWatch&) = delete;

  /// What is missing and what mends it, as of the last look; empty: nothing. A server that doesn't
  /// answer changes nothing: others tell that.
  std::string hindrance() const;

 private:
  class Looks;
  std::unique_ptr<Looks> looks_;
};

}  // namespace ba
