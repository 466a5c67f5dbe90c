#pragma once
// SPDX-License-Identifier: Apache-2.0
// Retention over PostgreSQL. Owned by the storage; control thread only.

#include "pipeline/core/ledger/retention.hpp"
#include "pipeline/core/port/executor.hpp"
#include "storage/postgres/session_pool.hpp"

namespace ba::storage {

class PgRetention final : public Retention {
 public:
  PgRetention(SessionPool& removers, Executor& executor)
      : removers_(removers), executor_(executor) {}

  void remove_batch(IncarnationId self, RetentionRules rules,
                    Completion<RemovedRows> done) override;

 private:
  SessionPool& removers_;
  Executor& executor_;
};

}  // namespace ba::storage
