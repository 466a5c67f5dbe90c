#pragma once
// SPDX-License-Identifier: Apache-2.0
// The rows that deltas add while jobs run, collected over many deltas as one array per column and
// written with one statement per table. Writing them again changes nothing. One thread.

#include "pipeline/core/ledger/delta.hpp"
#include "storage/ledger/context_rows.hpp"
#include "storage/postgres/array_parameter.hpp"
#include "storage/postgres/session.hpp"

namespace ba::storage {

class StepRows {
 public:
  void add(const Delta& delta, IncarnationId self);
  void write(Transaction& transaction) const;

 private:
  using enum PgType;

  void add_step(std::int64_t job, const StepReplied& step);
  void add_finished(std::int64_t job, const ToolCallFinished& call);

  RowArrays<Bigint, Integer, Bigint, Text, Json, Bigint> opened_;
  RowArrays<Bigint, Integer, Text, Text, Bigint, Bigint, Bigint, Bigint, Bigint, Bigint> closed_;
  RowArrays<Bigint, Integer, Integer, Text, Text, Text, Text, Text, Bigint, Bigint, Bigint, Bigint,
            Bigint, Bigint, Integer, Integer, Bigint, Json, Bigint, Json, Bigint, Bigint, Bigint,
            Bigint, Bigint, Bigint>
      steps_;
  RowArrays<Bigint, Integer, Integer, Integer, Text, Text, Text, Text, Text> intended_;
  RowArrays<Bigint, Integer, Integer, Integer, Text> started_;
  RowArrays<Bigint, Integer, Integer, Integer, Text, Text, Bigint, Text, Text, Text, Text, Integer,
            Bigint, Json, Text, Text, Text, Text, Json, Text, Bigint>
      finished_;
  RowArrays<Bigint, Bigint, Integer> wasted_;
  ContextRows context_;
  BigintArray settled_;  ///< jobs of which something is written after a crash
};

}  // namespace ba::storage
