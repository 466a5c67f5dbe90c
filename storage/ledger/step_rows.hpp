#pragma once
// SPDX-License-Identifier: Apache-2.0
// The rows that deltas add while jobs run, collected over many deltas as one array per column and
// written with one statement per table. Writing them again changes nothing. One thread.

#include "pipeline/core/ledger/delta.hpp"
#include "storage/ledger/context_rows.hpp"
#include "storage/postgres/array_parameter.hpp"
#include "storage/postgres/session.hpp"

namespace ba {

class StepRows {
 public:
  void add(const Delta& delta, IncarnationId self);
  void write(Transaction& transaction) const;

 private:
  /// The key columns of a table of positions.
  struct Keys {
    BigintArray job;
    IntegerArray round;
    IntegerArray step;
    IntegerArray index;

    void add(LedgerJobId id, const Position& position);
    bool empty() const { return job.empty(); }
  };
  struct UsageColumns {
    BigintArray input;
    BigintArray cache_read;
    BigintArray cache_write;
    BigintArray output;
    BigintArray thinking;

    void add(const Usage& usage);
  };
  struct SavingColumns {
    BigintArray tokens;
    BigintArray micro_usd;

    void add(const Saving& saving, bool priced);
  };
  struct OpenedRounds {
    Keys keys;
    BigintArray conversation;
    TextArray round_id;
    JsonArray message;
    BigintArray idle_before;
  };
  struct ClosedRounds {
    Keys keys;
    TextArray status;
    TextArray final_answer;
    UsageColumns usage;
    BigintArray latency;
  };
  struct Steps {
    Keys keys;
    TextArray stop_reason;
    TextArray provider;
    TextArray model;
    TextArray request_id;
    TextArray request_hash;
    UsageColumns usage;
    BigintArray estimated_input;
    BigintArray cost;
    IntegerArray tries;
    IntegerArray wasted;
    BigintArray latency;
    JsonArray message;
    JsonArray answer_repair;
    SavingColumns cache;
    SavingColumns encoding;
    SavingColumns compression;
  };
  struct IntendedCalls {
    Keys keys;
    TextArray tool_call_id;
    TextArray tool_name;
    TextArray tool_version;
    TextArray parameters;
    TextArray effect;
  };
  struct StartedCalls {
    Keys keys;
    TextArray tool_version;
  };
  struct FinishedCalls {
    Keys keys;
    TextArray state;
    TextArray output_level;
    BigintArray data_size;
    TextArray data_summary;
    TextArray error_type;
    TextArray error_code;
    TextArray error_message;
    IntegerArray retry_count;
    BigintArray duration;
    JsonArray message;
    TextArray semantic_key;
    TextArray cache_origin;
    TextArray artifact_id;
    TextArray data_hash;
    JsonArray telemetry;
    TextArray note;
    BigintArray saved_tokens;
  };
  struct Wasted {
    BigintArray job;
    BigintArray incarnation;
    IntegerArray calls;
  };

  void add_opened(const Delta& delta, const RoundOpened& round);
  void add_step(LedgerJobId job, const StepReplied& step);
  void add_intended(LedgerJobId job, const ToolCallIntended& call);
  void add_finished(LedgerJobId job, const ToolCallFinished& call);
  void add_telemetry(const ToolTelemetry& telemetry);
  void add_closed(LedgerJobId job, const RoundClosed& round);

  void write_opened(Transaction& transaction) const;
  void write_steps(Transaction& transaction) const;
  void write_intended(Transaction& transaction) const;
  void write_started(Transaction& transaction) const;
  void write_finished(Transaction& transaction) const;
  void write_closed(Transaction& transaction) const;
  void write_wasted(Transaction& transaction) const;

  OpenedRounds opened_;
  ClosedRounds closed_;
  Steps steps_;
  IntendedCalls intended_;
  StartedCalls started_;
  FinishedCalls finished_;
  Wasted wasted_;
  ContextRows context_;
  BigintArray settled_;  ///< jobs of which something is written after a crash
};

}  // namespace ba
