#pragma once
// SPDX-License-Identifier: Apache-2.0
// Incarnations in PostgreSQL. Renewing has a thread and a connection of its own, because a late
// renewal ends the worker; reaping has another, because it waits for other workers' transactions.

#include "pipeline/core/ledger/ledger.hpp"
#include "pipeline/core/port/executor.hpp"
#include "storage/postgres/session_pool.hpp"

namespace ba::storage {

class PgMembership final : public Membership {
 public:
  PgMembership(SessionPool& leases, SessionPool& reapers, Executor& executor)
      : leases_(leases), reapers_(reapers), executor_(executor) {}

  void enter(Identity identity, Milliseconds lease, Completion<IncarnationId> done) override;
  void renew(IncarnationId incarnation, Milliseconds lease, Completion<void> done) override;
  void reap(IncarnationId self, Completion<int> done) override;
  void leave(IncarnationId incarnation, Completion<void> done) override;

 private:
  SessionPool& leases_;
  SessionPool& reapers_;
  Executor& executor_;
};

}  // namespace ba::storage
