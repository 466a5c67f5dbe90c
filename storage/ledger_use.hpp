#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether the ledger may be used, not only whether it is there: what is missing, and what mends it.
// The rights are those that config/SECURITY.md lists. Blocking; any thread.

#include <vector>

#include "pipeline/base/error.hpp"
#include "storage/access.hpp"
#include "storage/hindrance.hpp"

namespace ba {

/// What keeps a worker from its work in the ledger; empty: nothing. Of a schema that isn't there
/// yet nothing is said.
Result<std::vector<Hindrance>> ledger_hindrances(const PgAccess& access);

/// The same as an error with the remedy; PermissionDenied, or Unavailable where it may pass.
Result<void> require_use(const PgAccess& access);

/// Protocol, with the remedy, where a pooler gives one connection's transactions to several
/// sessions of the server, or several connections one session.
Result<void> require_own_sessions(const PgAccess& access);

}  // namespace ba
