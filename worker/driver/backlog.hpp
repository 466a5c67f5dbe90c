#pragma once
// SPDX-License-Identifier: Apache-2.0
// What waits in the ledger, as last counted, with what came and went since; the lanes that are
// closed for it; and where claims go on. A part of the Engine; control thread only.

#include <optional>
#include <set>

#include "pipeline/core/intake/intake_window.hpp"
#include "pipeline/core/ledger/claim_records.hpp"
#include "worker/driver/run_observer.hpp"

namespace ba::driver {

class Backlog final {
 public:
  /// `wait_max`: how long a job may wait for its conversation; 0: without a limit.
  Backlog(const IntakeWindowLimits& limits, std::chrono::seconds wait_max)
      : limits_(limits), wait_max_(wait_max), window_(limits) {}

  /// What a claim of `request.jobs_max` that is sent now asks for: where it goes on; a count, and
  /// jobs that are to end or wait too long, from time to time.
  void ask(ClaimRequest& request, SteadyTime now);
  /// `fresh`: so many of the jobs in the answer began to run.
  void answered(const ClaimAnswer& answer, std::int64_t fresh);
  void taken_in(const IntakeSummary& summary);
  /// One of those has ended: the next claim looks for the next of its conversation.
  void overdue_ended() { overdue_sought_at_.reset(); }

  std::int64_t waiting() const { return waiting_; }

  /// The lanes that deliver nothing from now on, where that changes. `running`: jobs here;
  /// `unwritten`: records that were handed over.
  std::optional<std::set<Lane>> newly_paused(int running, std::int64_t unwritten);

 private:
  std::chrono::seconds overdue_after(SteadyTime now);
  bool found_all(std::int64_t fresh) const;
  void reckon(std::int64_t fresh);

  const IntakeWindowLimits limits_;
  const std::chrono::seconds wait_max_;
  IntakeWindow window_;
  std::int64_t waiting_ = 0;
  std::int64_t claimable_ = 0;     ///< of these, the next of each conversation
  std::int64_t out_of_reach_ = 0;  ///< counted as claimable when a claim found no more
  std::optional<SteadyTime> counted_at_;
  bool counting_ = false;  ///< the claim in flight counts
  int asked_ = 0;          ///< its jobs_max
  std::optional<SteadyTime> ending_sought_at_;
  std::optional<SteadyTime> overdue_sought_at_;  ///< none: the next claim looks for such jobs
  LanePlaces places_;
};

}  // namespace ba::driver
