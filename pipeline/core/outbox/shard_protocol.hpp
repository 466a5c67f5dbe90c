#pragma once
// SPDX-License-Identifier: Apache-2.0
// The protocol that publishes one outbox shard exactly once (docs/internals/publishing.md), as a
// state machine without I/O: advance(state, event) -> action. Whoever owns the state performs the
// action and feeds its outcome back as the next event; one action is under way at a time.
//
// The truth about a batch is its receipt in Kafka, read by a producer that was initialised before
// the read. Numbers: the ledger has marked batches up to `published`; `assigned` is the last number
// that it gave. Between them are only batches that were withdrawn before they were out. A receipt
// of neither of the two can't be explained and stops the shard.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "pipeline/base/error.hpp"
#include "pipeline/core/ledger/outbox_records.hpp"

namespace ba::shard {

// ---- what happened -----------------------------------------------------------------------------

struct Owned {};  ///< the shard was taken; State holds what the ledger says of it
struct Opened {
  std::optional<std::int64_t> receipt;
};
struct OpenFailed {
  Error error;
};
struct Due {};  ///< there may be rows, or it is time to mark the batch that was just committed
struct Fetched {
  std::int64_t number = 0;  ///< 0: nothing is pending
};
struct FetchFailed {
  Error error;
};
struct Committed {
  bool clean = true;  ///< false: certain, but some request got no clean answer
};
struct SendFailed {
  Error error;
  bool refused = false;  ///< Kafka refuses a record of the batch for what it is
  bool closed = false;   ///< Kafka takes nothing for a topic of the batch, whatever the record
};
struct Withdrawn {};  ///< the batch with records for closed topics is none any more
struct WithdrawFailed {
  Error error;
};
struct Replaced {};  ///< the ledger has another record in its place
struct ReplaceFailed {
  Error error;
};
struct StopRecorded {};
struct StopFailed {
  Error error;
};
struct RetryDue {};  ///< the wait that RetryLater asked for is over

using Event = std::variant<Owned, Opened, OpenFailed, Due, Fetched, FetchFailed, Committed,
                           SendFailed, Withdrawn, WithdrawFailed, Replaced, ReplaceFailed,
                           StopRecorded, StopFailed, RetryDue>;

// ---- what to do --------------------------------------------------------------------------------

struct Open {};  ///< ShardTransport::open
struct Fetch {
  std::int64_t published = 0;  ///< Outbox::next_batch with this number
};
struct Send {};         ///< ShardTransport::send the batch that was fetched
struct Withdraw {};     ///< Outbox::withdraw_batch the batch that was fetched
struct Replace {};      ///< Outbox::replace_record the refused record of the batch that was fetched
struct AwaitRows {};    ///< nothing is pending: Due when rows may be there
struct AwaitLinger {};  ///< a batch was committed: Due soon, which also marks it
struct RetryLater {
  int failures = 1;  ///< in a row; for the back-off
};
struct Stop {
  std::string reason;  ///< Outbox::stop_shard with it and State::ledger
};
struct Halt {};  ///< the shard is stopped, or was another's at some time: drop what is known of it
struct HaltAll {};  ///< this incarnation is dead: stop every shard at once

using Action = std::variant<Open, Fetch, Send, Withdraw, Replace, AwaitRows, AwaitLinger,
                            RetryLater, Stop, Halt, HaltAll>;

// ---- the machine -------------------------------------------------------------------------------

enum class Phase {
  New,
  Opening,
  Ready,
  Fetching,
  Sending,
  Withdrawing,
  Replacing,
  Waiting,
  Stopping,
  Halted
};

struct State {
  ShardState ledger;  ///< as far as known here: published counts batches known to be committed
  Phase phase = Phase::New;
  bool open = false;               ///< the transport is initialised and untainted
  int failures = 0;                ///< in a row
  std::int64_t refused_batch = 0;  ///< a record of it was refused and not replaced yet
  std::int64_t closed_batch = 0;   ///< has records for closed topics, not yet withdrawn
  std::string stopping;            ///< reason, in Phase::Stopping
};

/// An event that doesn't fit the phase is a bug of the caller and asserts.
Action advance(State& state, const Event& event);

}  // namespace ba::shard
