// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger_use.hpp"

#include <mutex>
#include <thread>

#include "storage/postgres/rights.hpp"

namespace ba::storage {
namespace {

/// Looks may hit the session that they would hit anyway; so many together don't.
constexpr int kLooks = 5;

// Not prepared: a pooler may have another session run it.
constexpr const char* kBackend =
    "SELECT pid || ' ' || backend_start AS session FROM pg_stat_get_activity(pg_backend_pid())";

/// Which session of the server serves a transaction.
Result<std::string> backend(Session& session) {
  return session.run([](Transaction& transaction) -> Result<std::string> {
    return transaction.execute(kBackend).first().text("session");
  });
}

Error shares_sessions() {
  return make_error(
      ErrorCode::Protocol,
      "PostgreSQL: a pooler gives each transaction another session of the server; the ledger needs "
      "sessions of its own: set pool_mode = session for this database in PgBouncer, or let "
      "postgres.url name the server itself");
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

class LedgerWatch::Looks {
 public:
  Looks(const PgAccess& access, Milliseconds interval)
      : access_(access), interval_(interval), thread_([this] { run(); }) {}

  ~Looks() {
    stop_.request();
    thread_.join();
  }

  std::string hindrance() const {
    const std::lock_guard lock(mutex_);
    return hindrance_;
  }

 private:
  void run() {
    Session session({.access = access_}, stop_);
    do look(session);
    while (stop_.pause(interval_));
  }

  void look(Session& session) {
    const auto seen = session.run([this](Transaction& transaction) -> Result<std::string> {
      if (auto read_only = read_only_hindrance(transaction)) return to_error(*read_only).message;
      const auto found = worker_hindrances(transaction, access_.schema);
      return found.empty() ? std::string() : to_error(found.front()).message;
    });
    if (!seen && seen.error().code != ErrorCode::PermissionDenied) return;
    const std::lock_guard lock(mutex_);
    hindrance_ = seen ? *seen : seen.error().message;
  }

  const PgAccess access_;
  const Milliseconds interval_;
  Stop stop_;
  mutable std::mutex mutex_;
  std::string hindrance_;
  std::thread thread_;  ///< last: it uses the others
};

LedgerWatch::LedgerWatch(const PgAccess& access, Milliseconds interval)
    : looks_(std::make_unique<Looks>(access, interval)) {}

LedgerWatch::~LedgerWatch() = default;

std::string LedgerWatch::hindrance() const { return looks_->hindrance(); }

}  // namespace ba::storage
