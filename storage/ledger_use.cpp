// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger_use.hpp"

#include "storage/postgres/rights.hpp"

namespace ba {
namespace {

/// Looks may hit the session that they would hit anyway; so many together don't.
constexpr int kLooks = 5;

// Not prepared: a pooler may have another session run it.
constexpr const char* kBackend =
    "SELECT pid || ' ' || backend_start AS session FROM pg_stat_get_activity(pg_backend_pid())";

/// Which session of the server serves a transaction.
Result<std::string> backend(Session& session) {
  return session.run([](Transaction& transaction) -> Result<std::string> {
    const Rows rows("backend", transaction.query(kBackend));
    return rows.first().text("session");
  });
}

Error shares_sessions() {
  Error error;
  error.code = ErrorCode::Protocol;
  error.message =
      "PostgreSQL: a pooler gives each transaction another session of the server; the ledger needs "
      "sessions of its own: set pool_mode = session for this database in PgBouncer, or let "
      "postgres.url name the server itself";
  return error;
}

}  // namespace

Result<std::vector<Hindrance>> ledger_hindrances(const PgAccess& access) {
  const Stop stop;
  Session session({.access = access}, stop);
  return session.run([&](Transaction& transaction) -> Result<std::vector<Hindrance>> {
    if (auto read_only = read_only_hindrance(transaction))
      return std::vector<Hindrance>{*std::move(read_only)};
    return worker_hindrances(transaction, access.schema);
  });
}

Result<void> require_use(const PgAccess& access) {
  const auto found = ledger_hindrances(access);
  if (!found) return found.error();
  if (found->empty()) return {};
  return to_error(found->front());
}

// Two connections that are open side by side never have the same session of a server, and each
// keeps its own, unless something shares them out.
Result<void> require_own_sessions(const PgAccess& access) {
  const Stop stop;
  Session first({.access = access}, stop);
  Session second({.access = access}, stop);
  const auto own = backend(first);
  if (!own) return own.error();
  for (int look = 0; look < kLooks; ++look) {
    const auto other = backend(second);
    if (!other) return other.error();
    const auto again = backend(first);
    if (!again) return again.error();
    if (*other == *own || *again != *own) return shares_sessions();
  }
  return {};
}

}  // namespace ba
