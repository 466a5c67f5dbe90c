#pragma once
// SPDX-License-Identifier: Apache-2.0
// The rows of pipeline/core/ledger/context_records.hpp, collected over many deltas and written with
// one statement per table. Writing them again changes nothing. One thread.

#include "pipeline/core/ledger/delta.hpp"
#include "storage/postgres/array_parameter.hpp"
#include "storage/postgres/session.hpp"

namespace ba::storage {

class ContextRows {
 public:
  void add(const Delta& delta);
  void write(Transaction& transaction) const;

 private:
  using enum PgType;

  RowArrays<Bigint, Integer, Integer, Integer, Json> reminders_;
  RowArrays<Bigint, Integer, Integer, Text, Text, Bigint, Bigint, Bigint, Bigint, Text, Integer>
      compressions_;
  RowArrays<Bigint, Integer, Integer, Integer, Bigint, Text, Bigint, Bigint, Bigint, Bigint, Bigint>
      refused_;
  RowArrays<Bigint, Integer, Integer, Integer, Text, Bigint, Bigint, Bigint> counts_;
  RowArrays<Bigint, Integer, Bigint, Bigint, Bigint, Json> histories_;
  RowArrays<Bigint, Integer, Integer, Bigint, Text, Text, Text, Integer, Integer, Text, Text,
            Bigint, Bigint, Bigint, Bigint, Bigint, Bigint, Bool>
      summaries_;
};

/// Ledger::begin_summary, behind the fence.
Result<SummaryStanding> begin_summary(Transaction& transaction, IncarnationId self,
                                      const SummaryOrder& order);

/// Those of a job; without their texts, where these may be long and nobody needs them.
std::vector<SummaryRow> load_summaries(Transaction& transaction, LedgerJobId job, bool with_texts);

/// Those that a job of the conversation knows of, in order.
std::vector<RefusedContextRow> load_refused_contexts(Transaction& transaction, LedgerJobId job,
                                                     LedgerConversationId conversation);

/// Those of a job, in order.
std::vector<ExactCountRow> load_exact_counts(Transaction& transaction, LedgerJobId job);

/// No summary of these jobs, which have just ended, is being written any more.
void end_summaries(Transaction& transaction, const BigintArray& jobs);

}  // namespace ba::storage
