#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether the ledger may be used, not only whether it is there: what is missing, and what mends it.
// The rights are those that config/SECURITY.md lists. Blocking; any thread.

#include <memory>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "storage/access.hpp"

namespace ba::storage {

/// What keeps a worker from its work in the ledger; empty: nothing. Of a schema that isn't there
/// yet nothing is said.
Result<std::vector<Hindrance>> ledger_hindrances(const PgAccess& access);

/// The same as an error with the remedy; PermissionDenied, or Unavailable where it may pass.
Result<void> require_use(const PgAccess& access);

/// Protocol, with the remedy, where a pooler gives one connection's transactions to several
/// sessions of the server, or several connections one session.
Result<void> require_own_sessions(const PgAccess& access);

/// Looks again and again whether a worker may still do its work in the ledger, with a thread and a
/// connection of its own. Owned by the worker; hindrance() from any thread.
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

}  // namespace ba::storage
