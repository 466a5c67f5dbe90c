#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where the database is, how long it may take, and why it can't be used. Values.

#include <string>

#include "pipeline/base/time.hpp"

namespace ba::storage {

/// Enough for reading (query.hpp) and for migrating.
struct PgAccess {
  std::string url;            ///< URI or key=value form, as libpq takes it
  std::string schema = "ba";  ///< [a-z_][a-z0-9_]{0,62}
  std::string application_name = "ba-agent";
  Milliseconds connect_timeout{5000};
  Milliseconds statement_timeout{30000};
  /// A transaction that its client leaves idle for so long is ended by the server. Shorter than the
  /// lease: a worker that is paused inside a transaction must not hold up who reaps it.
  Milliseconds idle_transaction_timeout{5000};
};

/// Why the ledger can't be used, and what mends it.
struct Hindrance {
  std::string message;    ///< names the role and what it lacks
  std::string remedy;     ///< SQL, or what to change
  bool may_pass = false;  ///< without anybody's doing: a standby that takes over
};

}  // namespace ba::storage
