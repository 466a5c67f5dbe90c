// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/lease_keeper.hpp"

namespace ba::driver {

LeaseKeeper::LeaseKeeper(Membership& membership, Executor& executor, const Clock& clock,
                         LeaseOptions options, LeaseEvents events)
    : membership_(membership),
      executor_(executor),
      clock_(clock),
      options_(options),
      events_(std::move(events)) {}

bool LeaseKeeper::alive() const {
  return !over_ && self_.value != 0 && clock_.now() < lease_until_;
}

void LeaseKeeper::enter(Membership::Identity identity, Completion<IncarnationId> done) {
  const SteadyTime asked_at = clock_.now();
  membership_.enter(
      std::move(identity), options_.lease,
      lifetime_.guarded([this, asked_at, done = std::move(done)](Result<IncarnationId> result) {
        if (result) entered(asked_at, result.value());
        done(std::move(result));
      }));
}

void LeaseKeeper::entered(SteadyTime asked_at, IncarnationId self) {
  self_ = self;
  extend(asked_at);
  renew_timer_ = executor_.after(options_.renew_interval, [this] { renew(); });
  reap_timer_ = executor_.after(Milliseconds{0}, [this] { reap(); });
}

void LeaseKeeper::renew() {
  const SteadyTime asked_at = clock_.now();
  membership_.renew(self_, options_.lease, lifetime_.guarded([this, asked_at](Result<void> result) {
    if (!over_) renewed(asked_at, std::move(result));
  }));
}

void LeaseKeeper::renewed(SteadyTime asked_at, Result<void> result) {
  if (result) {
    extend(asked_at);
  } else {
    if (events_.trouble) events_.trouble(result.error());
    if (result.error().code == ErrorCode::Fenced) return lost();
  }
  if (!alive()) return lost();
  renew_timer_ = executor_.after(options_.renew_interval, [this] { renew(); });
}

void LeaseKeeper::extend(SteadyTime asked_at) {
  lease_until_ = asked_at + options_.lease;
  const auto left = std::chrono::duration_cast<Milliseconds>(lease_until_ - clock_.now());
  expiry_timer_ = executor_.after(std::max(left, Milliseconds{0}), [this] { lost(); });
}

void LeaseKeeper::reap() {
  membership_.reap(self_, lifetime_.guarded([this](Result<int> result) {
    if (over_) return;
    if (!result && events_.trouble) events_.trouble(result.error());
    if (!result && result.error().code == ErrorCode::Fenced) return lost();
    if (result && result.value() > 0 && events_.reaped) events_.reaped(result.value());
    reap_timer_ = executor_.after(options_.reap_interval, [this] { reap(); });
  }));
}

void LeaseKeeper::leave(Completion<void> done) {
  over_ = true;
  renew_timer_.reset();
  reap_timer_.reset();
  expiry_timer_.reset();
  membership_.leave(self_, std::move(done));
}

void LeaseKeeper::lost() {
  if (over_) return;
  over_ = true;
  renew_timer_.reset();
  reap_timer_.reset();
  events_.lost();
}

}  // namespace ba::driver
