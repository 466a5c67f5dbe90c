// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger_watch.hpp"

#include <mutex>
#include <thread>

#include "storage/postgres/rights.hpp"

namespace ba {

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

}  // namespace ba
