#pragma once
// SPDX-License-Identifier: Apache-2.0
// The end of jobs: terminal row, attempt, conversation totals, metrics and outbox records of many
// jobs, written with one statement each. The jobs are running under the incarnation (proven in the
// same transaction). One thread.

#include <vector>

#include "pipeline/port/ledger_records.hpp"
#include "storage/postgres/array_literal.hpp"
#include "storage/postgres/session.hpp"

namespace ba {

class FinishRows {
 public:
  /// Borrows the delta, which has `finished`, until write().
  void add(const Delta& delta);
  bool holds_nul() const;
  void write(Transaction& transaction) const;

 private:
  struct Jobs {
    ArrayLiteral id;
    ArrayLiteral outcome;
    ArrayLiteral error_type;
    ArrayLiteral error_code;
    ArrayLiteral error_message;
    ArrayLiteral result_id;
    ArrayLiteral result;
    ArrayLiteral model;
  };
  struct Totals {
    ArrayLiteral rounds;
    ArrayLiteral steps;
    ArrayLiteral tool_calls;
    ArrayLiteral tool_calls_failed;
    ArrayLiteral wasted;
    ArrayLiteral input;
    ArrayLiteral cache_read;
    ArrayLiteral cache_write;
    ArrayLiteral output;
    ArrayLiteral thinking;
    ArrayLiteral cost;
    ArrayLiteral cost_known;

    void add(const JobTotals& totals);
  };
  struct Metrics {
    ArrayLiteral job;
    ArrayLiteral report;
  };

  Jobs jobs_;
  Totals totals_;
  Metrics metrics_;
  std::vector<const OutboxRecord*> outbox_;
};

}  // namespace ba
