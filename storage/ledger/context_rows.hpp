#pragma once
// SPDX-License-Identifier: Apache-2.0
// The rows of pipeline/core/ledger/context_records.hpp, collected over many deltas and written with
// one statement per table. Writing them again changes nothing. One thread.

#include "pipeline/core/ledger/delta.hpp"
#include "storage/postgres/array_parameter.hpp"
#include "storage/postgres/session.hpp"

namespace ba {

class ContextRows {
 public:
  void add(const Delta& delta);
  void write(Transaction& transaction) const;

 private:
  struct Keys {
    BigintArray job;
    IntegerArray round;
    IntegerArray step;

    void add(LedgerJobId id, const Position& position);
    bool empty() const { return job.empty(); }
  };
  struct Reminders {
    Keys keys;
    IntegerArray index;
    JsonArray message;
  };
  struct Compressions {
    Keys keys;
    IntegerArray refusal;
    TextArray mode;
    TextArray reason;
    BigintArray messages_before;
    BigintArray messages_after;
    BigintArray tokens_before;
    BigintArray tokens_after;
    TextArray missed;
  };
  struct Refused {
    Keys keys;
    IntegerArray refusal;
    BigintArray conversation;
    TextArray model;
    BigintArray window;
    BigintArray tokens;
    BigintArray of_window;
    BigintArray told_limit;
    BigintArray told_tokens;
  };
  struct Counts {
    Keys keys;
    IntegerArray refusal;
    TextArray model;
    BigintArray estimated;
    BigintArray of_messages;
    BigintArray tokens;
  };
  struct Histories {
    BigintArray job;
    IntegerArray round;
    BigintArray conversation;
    BigintArray messages;
    BigintArray tokens;
    JsonArray kept;
  };
  struct Summaries {
    Keys keys;
    BigintArray conversation;
    TextArray round_id;
    TextArray content_hash;
    TextArray state;
    IntegerArray after_round;
    IntegerArray after_step;
    TextArray text;
    TextArray model;
    BigintArray input;
    BigintArray cache_read;
    BigintArray cache_write;
    BigintArray output;
    BigintArray thinking;
    BigintArray cost;
    BoolArray reused;
  };

  void add_compression(LedgerJobId job, const CompressionRow& row);
  void add_refused(const Delta& delta, const RefusedContextRow& row);
  void add_count(LedgerJobId job, const ExactCountRow& row);
  void add_summary(const Delta& delta, const SummaryRow& row);
  void write_refused(Transaction& transaction) const;
  void write_summaries(Transaction& transaction) const;

  Reminders reminders_;
  Compressions compressions_;
  Refused refused_;
  Counts counts_;
  Histories histories_;
  Summaries summaries_;
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

}  // namespace ba
