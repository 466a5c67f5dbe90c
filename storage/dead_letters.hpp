#pragma once
// SPDX-License-Identifier: Apache-2.0
// What could not be run, for `ba-agent dlq` and `ba-agent job fork`: records that are no jobs, and
// jobs that ended poisoned or failed; and running them again. Each call is one transaction on a
// connection of its own. Blocking; any thread.

#include <optional>
#include <string>
#include <vector>

#include "pipeline/core/ledger/intake_records.hpp"
#include "pipeline/core/ledger/outbox_records.hpp"
#include "storage/control.hpp"

namespace ba::storage {

struct Redrive {
  std::string by;
  WallTime at{};
  std::string new_job;  ///< "tenant/job id" of a copied job; empty for a record
  bool sent = true;     ///< false: a record of which nobody knows whether it was produced
};

/// One thing that could not be run: a record, with `letter`, or a job, with `job`.
struct DeadThing {
  std::int64_t letter = 0;
  std::optional<JobName> job;
  std::string reason;  ///< of a record why it is no job; of a job its error code
  std::string field;
  std::string message;
  WallTime at{};
  RecordSource source;
  std::vector<Redrive> redrives;  ///< oldest first

  /// What commands call it: "17", or "tenant/job id".
  std::string id() const;
};

struct DeadFilter {
  std::vector<std::string> ids;  ///< empty: all
  std::string tenant;            ///< empty: any; else no records, which have none
  std::string reason;            ///< empty: any
  std::optional<Milliseconds> newer_than;
  int rows_max = 100;
};

/// Newest first. NotFound when an id is none of them.
Result<std::vector<DeadThing>> list_dead(const PgAccess& access, const DeadFilter& filter);

/// A record's dead letter with all of the original. Of the record on the dead-letter topic only the
/// id: the topic's may be cut, or gone from the ledger.
Result<DeadLetter> find_dead_record(const PgAccess& access, std::int64_t letter);

/// A record as the outbox has it, published or not. None: retention removed it, or there never was
/// one of this id.
Result<std::optional<OutboxRecord>> find_outbox_record(const PgAccess& access, const ResultId& id);

/// Notes that a record is about to be produced again; then that it was. The value is the note.
Result<std::int64_t> begin_redrive(const PgAccess& access, std::int64_t letter, bool edited,
                                   const std::string& by);
Result<void> end_redrive(const PgAccess& access, std::int64_t note);

/// A new job made from an old one's durable rows.
struct JobCopy {
  JobName source;
  /// The new one; ids and conversation that the ledger does not know yet. Its created_at is when it
  /// was made; the payload's may be when its source was.
  IntakeJob job;
  /// The rounds before this one are kept, all of them answered; none: all answered ones, and what
  /// there is of the next one too, so that the copy goes on from where the source had stopped.
  std::optional<int> from_round;
  bool edited = false;
  std::string by;
};

struct CopiedRows {
  int rounds = 0;        ///< answered ones
  bool goes_on = false;  ///< within a round that was begun
};

/// ONE transaction: the new job, ready, in a new conversation with the source's history; its kept
/// rounds as its own, used up to nothing, since they are paid for; and a note. NotFound: no such
/// source; Conflict: the source hasn't ended or has too few answered rounds, a job before it in its
/// conversation hasn't ended, or the new job or its conversation exists.
Result<CopiedRows> copy_job(const PgAccess& access, const JobCopy& copy);

/// What a copy is made from.
struct CopySource {
  std::string payload;
  bool finished = false;
  RecordSource source;
  int copies = 0;  ///< made of it so far
};
Result<CopySource> find_copy_source(const PgAccess& access, const JobName& name);

}  // namespace ba::storage
