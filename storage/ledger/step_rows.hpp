#pragma once
// SPDX-License-Identifier: Apache-2.0
// The rows that deltas add while jobs run, collected over many deltas as one array per column and
// written with one statement per table. Writing them again changes nothing. One thread.

#include "pipeline/port/ledger_records.hpp"
#include "storage/postgres/array_literal.hpp"
#include "storage/postgres/session.hpp"

namespace ba {

class StepRows {
 public:
  void add(const Delta& delta, IncarnationId self);
  /// Whether some text holds a NUL character, which PostgreSQL can't store.
  bool holds_nul() const;
  void write(Transaction& transaction) const;

 private:
  /// The key columns of a table of positions.
  struct Keys {
    ArrayLiteral job;
    ArrayLiteral round;
    ArrayLiteral step;
    ArrayLiteral index;

    void add(LedgerJobId id, const Position& position);
    bool empty() const { return job.bytes() == 0; }
  };
  struct UsageColumns {
    ArrayLiteral input;
    ArrayLiteral cache_read;
    ArrayLiteral cache_write;
    ArrayLiteral output;
    ArrayLiteral thinking;

    void add(const Usage& usage);
  };
  struct OpenedRounds {
    Keys keys;
    ArrayLiteral conversation;
    ArrayLiteral round_id;
  };
  struct ClosedRounds {
    Keys keys;
    ArrayLiteral status;
    ArrayLiteral final_answer;
    UsageColumns usage;
    ArrayLiteral latency;
  };
  struct Steps {
    Keys keys;
    ArrayLiteral stop_reason;
    ArrayLiteral provider;
    ArrayLiteral model;
    ArrayLiteral request_id;
    ArrayLiteral request_hash;
    UsageColumns usage;
    ArrayLiteral cost;
    ArrayLiteral tries;
    ArrayLiteral wasted;
    ArrayLiteral latency;
  };
  struct Messages {
    Keys keys;
    ArrayLiteral conversation;
    ArrayLiteral json;
  };
  struct IntendedCalls {
    Keys keys;
    ArrayLiteral tool_call_id;
    ArrayLiteral tool_name;
    ArrayLiteral tool_version;
    ArrayLiteral parameters;
    ArrayLiteral effect;
  };
  struct FinishedCalls {
    Keys keys;
    ArrayLiteral state;
    ArrayLiteral output_level;
    ArrayLiteral data_size;
    ArrayLiteral data_summary;
    ArrayLiteral error_type;
    ArrayLiteral error_code;
    ArrayLiteral error_message;
    ArrayLiteral retry_count;
    ArrayLiteral duration;
  };
  struct Wasted {
    ArrayLiteral job;
    ArrayLiteral incarnation;
    ArrayLiteral calls;
  };

  void add_message(const Delta& delta, const Position& position, const Message& message);
  void add_step(const Delta& delta, const StepReplied& step);
  void add_intended(LedgerJobId job, const ToolCallIntended& call);
  void add_finished(LedgerJobId job, const ToolCallFinished& call);
  void add_closed(LedgerJobId job, const RoundClosed& round);

  void write_opened(Transaction& transaction) const;
  void write_steps(Transaction& transaction) const;
  void write_messages(Transaction& transaction) const;
  void write_intended(Transaction& transaction) const;
  void write_started(Transaction& transaction) const;
  void write_finished(Transaction& transaction) const;
  void write_closed(Transaction& transaction) const;
  void write_wasted(Transaction& transaction) const;

  OpenedRounds opened_;
  ClosedRounds closed_;
  Steps steps_;
  Messages messages_;
  IntendedCalls intended_;
  Keys started_;
  FinishedCalls finished_;
  Wasted wasted_;
};

}  // namespace ba
