#pragma once
// SPDX-License-Identifier: Apache-2.0
// Who runs what: claims, what they answer, and jobs that are given back. Values.

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/base/ids.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/core/job/job_control.hpp"
#include "pipeline/text/message/position.hpp"

namespace ba {

/// Where claims go on in a lane. A claim looks at some tenants only, so that it costs no more where
/// many wait: in order of their names, round and round. The caller keeps what the last answer says
/// and sends it with the next claim; a caller that has none begins anywhere.
struct LanePlace {
  TenantId after;  ///< the next claim begins with the tenant after this one
  /// The tenant whose queue is gone through a piece at a time, as the jobs at its beginning are all
  /// held up by their conversations.
  TenantId deep;
  LedgerJobId deep_after;  ///< the last one of it that was looked at; 0: it is through

  friend bool operator==(const LanePlace&, const LanePlace&) = default;
};

using LanePlaces = std::array<LanePlace, 3>;  ///< by lane

struct ClaimRequest {
  int jobs_max = 0;  ///< new jobs to claim; those that are to end come on top
  /// Guaranteed share per lane (High, Normal, Batch), in percent of the incarnation's slots: what
  /// it runs already and jobs_max together. At least one slot for a lane with a share.
  std::vector<int> lane_share_percent{60, 30, 10};
  /// Jobs the caller has from earlier answers: left out of this one, so that a claim of a busy
  /// worker doesn't carry all its payloads again.
  std::vector<LedgerJobId> known;
  /// Jobs on their second attempt that the incarnation may run at once; from the third on it is
  /// one. So a job that crashes its worker drags few others into another attempt, and none into its
  /// last.
  int retried_max = 32;
  /// Jobs that wait for their conversation for longer are claimed, too, so that they end; 0: none
  /// is looked for.
  std::chrono::seconds conversation_wait_max{0};
  bool ending = true;              ///< whether jobs that are to end are claimed; looking costs
  bool count = true;               ///< whether ClaimAnswer says what waits; counting costs more
  int waiting_count_max = 10'000;  ///< bounds of what is counted
  int claimable_count_max = 1000;
  LanePlaces places;  ///< of the last answer
};

/// The tool call that a sub-agent's job is the work of.
struct AskingCall {
  LedgerJobId job;
  Position position;

  friend bool operator==(const AskingCall&, const AskingCall&) = default;
};

/// A job's wait for its conversation that took too long.
struct OverdueWait {
  JobId behind;  ///< the first job of the conversation that had not ended
  std::chrono::seconds max{0};

  friend bool operator==(const OverdueWait&, const OverdueWait&) = default;
};

struct ClaimedJob {
  LedgerJobId id;
  LedgerConversationId conversation;
  int attempt = 1;           ///< 1 for the first; counted before work
  bool after_crash = false;  ///< a worker died running it, and nothing has settled that since
  std::string payload;
  WallTime first_claimed_at{};  ///< deadlines count from here
  Milliseconds idle{0};  ///< paused or waiting for a person since then: no deadline counts it
  std::optional<AskingCall> asked_by;  ///< of a sub-agent's job
  std::optional<OverdueWait> overdue;  ///< it is to end for this, whoever runs it
  WallTime created_at{};  ///< by its sender; of a copy of another job, when that was made
  /// Nothing is stored of it, nor of its conversation: load() would answer with fresh_job(), until
  /// something of it is written. False where nobody has looked.
  bool fresh = false;
};

/// A person's request about a job that the incarnation owns.
struct RequestedJob {
  LedgerJobId id;
  JobRequest request = JobRequest::None;
};

/// A job that its worker gives back.
struct ReturnedJob {
  LedgerJobId id;
  /// For a person, who is to say what became of its running calls. No crash is held against it
  /// any more: it had come as far as these calls.
  bool waits = false;
};

/// What a claim answers.
struct ClaimAnswer {
  std::vector<ClaimedJob> jobs;  ///< all unfinished jobs the incarnation owns, but the known ones
  std::vector<RequestedJob> requests;  ///< about any unfinished job it owns, known or not
  std::int64_t waiting = 0;            ///< ready jobs left in the ledger
  std::int64_t claimable = 0;          ///< of these the next one of each conversation, if none runs
  LanePlaces places;                   ///< for the next claim
};

}  // namespace ba
