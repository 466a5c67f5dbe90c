#pragma once
// SPDX-License-Identifier: Apache-2.0
// Keeps one incarnation alive: enters, renews the lease, reaps the dead, leaves. Counts the lease
// by its own steady clock as well, from before each renewal was sent: once it has run out here,
// this incarnation is dead even if nobody could say so. Control thread only, which no tool blocks;
// the database work is done on the adapter's own thread.

#include <functional>
#include <memory>

#include "pipeline/base/lifetime.hpp"
#include "pipeline/core/ledger/ledger.hpp"
#include "pipeline/core/port/clock.hpp"
#include "pipeline/core/port/executor.hpp"

namespace ba::driver {

struct LeaseOptions {
  Milliseconds lease{10000};
  Milliseconds renew_interval{2500};
  Milliseconds reap_interval{2000};
};

struct LeaseEvents {
  std::function<void()> lost;                    ///< this incarnation is dead; called once
  std::function<void(int incarnations)> reaped;  ///< others died; their work is free
  std::function<void(const Error&)>
      trouble;  ///< a renewal or a reaping failed; repeated unless lost
};

class LeaseKeeper final {
 public:
  LeaseKeeper(Membership& membership, Executor& executor, const Clock& clock, LeaseOptions options,
              LeaseEvents events);

  /// Enters and, once in, renews and reaps by itself. A failed entry is not repeated here.
  void enter(Membership::Identity identity, Completion<IncarnationId> done);

  /// The clean end. Nothing is renewed after this call.
  void leave(Completion<void> done);

  IncarnationId incarnation() const { return self_; }
  bool alive() const;  ///< by the local count

 private:
  void entered(SteadyTime asked_at, IncarnationId self);
  void renew();
  void renewed(SteadyTime asked_at, Result<void> result);
  void reap();
  void extend(SteadyTime asked_at);
  void lost();

  Membership& membership_;
  Executor& executor_;
  const Clock& clock_;
  LeaseOptions options_;
  LeaseEvents events_;
  IncarnationId self_;
  SteadyTime lease_until_{};
  bool over_ = false;
  std::unique_ptr<Timer> renew_timer_;
  std::unique_ptr<Timer> reap_timer_;
  std::unique_ptr<Timer> expiry_timer_;
  Lifetime lifetime_;
};

}  // namespace ba::driver
