#pragma once
// SPDX-License-Identifier: Apache-2.0
// The end of jobs: terminal row, attempt, conversation totals, metrics and outbox records of many
// jobs, written with one statement each. The jobs are running under the incarnation (proven in the
// same transaction). One thread.

#include <vector>

#include "pipeline/core/ledger/delta.hpp"
#include "pipeline/core/ledger/outbox_records.hpp"
#include "storage/postgres/array_parameter.hpp"
#include "storage/postgres/session.hpp"

namespace ba::storage {

class FinishRows {
 public:
  /// Borrows the delta, which has `finished`, until write().
  void add(const Delta& delta);
  void write(Transaction& transaction) const;

 private:
  using enum PgType;

  RowArrays<Bigint, Text, Text, Text, Text, Text, Bytea, Text, Integer, Integer, Integer, Integer,
            Integer, Bigint, Bigint, Bigint, Bigint, Bigint, Bigint, Bool>
      jobs_;
  RowArrays<Bigint, Json> metrics_;
  std::vector<const OutboxRecord*> outbox_;
  BigintArray sub_agents_;
  BigintArray with_sub_agents_;
  BigintArray with_summaries_;
};

/// The end of jobs that the transaction itself has ended, and nobody before it: their attempts, and
/// what their conversations used. Reads what it has written of the jobs.
void close_finished(Transaction& transaction, const BigintArray& jobs);

}  // namespace ba::storage
