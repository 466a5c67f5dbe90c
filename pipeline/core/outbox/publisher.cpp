// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/outbox/publisher.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "pipeline/base/assert.hpp"
#include "pipeline/core/outbox/shard_runner.hpp"

namespace ba {

Publisher::Publisher(Outbox& outbox, ShardTransports& transports, Executor& executor,
                     PublisherOptions options, PublisherEvents events)
    : outbox_(outbox),
      transports_(transports),
      executor_(executor),
      options_(options),
      events_(std::move(events)) {}

Publisher::~Publisher() = default;

void Publisher::start(IncarnationId self) {
  BA_ASSERT(!context_);
  running_ = true;
  context_ = std::make_unique<ShardRunnerContext>(ShardRunnerContext{
      outbox_, executor_, options_, events_, counters_, self, [this](int shard) { drop(shard); },
      [this](const Error& error) { fence(error); }, [this] { check_drained(); }});
  ownership_changed();
  poll_timer_ = executor_.after(options_.poll_interval, [this] { poll(); });
}

void Publisher::stop() {
  running_ = false;
  poll_timer_.reset();
  ownership_timer_.reset();
  drain_timer_.reset();
  drain_done_ = nullptr;
  runners_.clear();
  counters_.shards_owned = 0;
}

void Publisher::nudge(int shard) {
  if (const auto found = runners_.find(shard); found != runners_.end()) found->second->nudge();
}

void Publisher::ownership_changed() {
  if (!running_) return;
  look_again_ = looking_at_ownership_;
  if (looking_at_ownership_) return;
  looking_at_ownership_ = true;
  outbox_.own_shards(context_->self, lifetime_.guarded([this](auto result) {
    if (!running_) return;
    looking_at_ownership_ = false;
    if (result) {
      adopt(*result);
    } else if (give_up(result.error())) {
      return;
    }
    if (std::exchange(look_again_, false)) return ownership_changed();
    ownership_timer_ =
        executor_.after(options_.ownership_interval, [this] { ownership_changed(); });
  }));
}

void Publisher::adopt(const std::vector<ShardState>& owned) {
  std::set<int> listed;
  for (const ShardState& state : owned) {
    listed.insert(state.shard);
    // What a running shard knows is newer than this answer.
    if (runners_.contains(state.shard)) continue;
    const auto runner =
        std::make_shared<ShardRunner>(*context_, state, transports_.create(state.shard));
    runners_[state.shard] = runner;
    if (drain_done_) runner->hurry();
    runner->start();
  }
  std::erase_if(runners_, [&](const auto& entry) { return !listed.contains(entry.first); });
  counters_.shards_owned = static_cast<int>(runners_.size());
  ownership_known_ = true;
  check_drained();
}

void Publisher::poll() {
  outbox_.pending_shards(context_->self, lifetime_.guarded([this](auto result) {
    if (!running_) return;
    if (!result && give_up(result.error())) return;
    if (result) {
      for (const int shard : *result)
        if (const auto found = runners_.find(shard); found != runners_.end()) found->second->wake();
    }
    poll_timer_ = executor_.after(options_.poll_interval, [this] { poll(); });
  }));
}

/// Counts a failed call of the ledger; true when it ends everything.
bool Publisher::give_up(const Error& error) {
  ++counters_.ledger_failures;
  if (error.code != ErrorCode::Fenced) return false;
  fence(error);
  return true;
}

void Publisher::drop(int shard) {
  runners_.erase(shard);
  counters_.shards_owned = static_cast<int>(runners_.size());
  dropped_while_draining_ = true;
  check_drained();
}

void Publisher::fence(const Error& error) {
  auto drain_done = std::move(drain_done_);
  stop();
  if (drain_done) drain_done(false);
  if (events_.fenced) events_.fenced(error);
}

void Publisher::drain(Milliseconds limit, std::function<void(bool)> done) {
  BA_ASSERT(!drain_done_);
  if (!running_) return executor_.post([done = std::move(done)] { done(false); });
  drain_done_ = std::move(done);
  dropped_while_draining_ = false;
  drain_timer_ = executor_.after(limit, [this] { finish_drain(false); });
  for (const auto& [shard, runner] : runners_) runner->hurry();
  executor_.post(lifetime_.guarded([this] { check_drained(); }));
}

void Publisher::check_drained() {
  if (!drain_done_ || !ownership_known_) return;
  const bool all = std::all_of(runners_.begin(), runners_.end(),
                               [](const auto& entry) { return entry.second->drained(); });
  if (all) finish_drain(!dropped_while_draining_ && closed_topics().empty());
}

void Publisher::finish_drain(bool everything) {
  drain_timer_.reset();
  for (const auto& [shard, runner] : runners_) runner->unhurry();
  const auto done = std::exchange(drain_done_, nullptr);
  done(everything);
}

PublisherCounters Publisher::counters() const {
  PublisherCounters counters = counters_;
  counters.shards_failing = static_cast<int>(std::count_if(
      runners_.begin(), runners_.end(), [](const auto& entry) { return entry.second->failing(); }));
  return counters;
}

std::string Publisher::closed_topics() const {
  ClosedTopics::Reasons reasons;
  for (const auto& [shard, runner] : runners_)
    for (const auto& [topic, why] : runner->closed_topics().reasons()) reasons[topic] = why;
  std::string all;
  for (const auto& [topic, why] : reasons) all += (all.empty() ? "" : "; ") + why;
  return all;
}

}  // namespace ba
