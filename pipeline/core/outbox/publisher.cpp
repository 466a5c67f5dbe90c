// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/outbox/publisher.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "pipeline/base/assert.hpp"
#include "pipeline/core/outbox/shard_runner.hpp"

namespace ba {

/// Shared with the completions under way, which hold it weakly.
class Publisher::Core : public std::enable_shared_from_this<Core> {
 public:
  Core(Outbox& outbox, ShardTransports& transports, Executor& executor, PublisherOptions options,
       PublisherEvents events)
      : outbox_(outbox),
        transports_(transports),
        executor_(executor),
        options_(options),
        events_(std::move(events)) {}

  void start(IncarnationId self);
  void stop();
  void nudge(int shard);
  void look_at_ownership();
  void drain(Milliseconds limit, std::function<void(bool)> done);
  PublisherCounters counters() const;
  std::string closed_topics() const;

 private:
  void adopt(const std::vector<ShardState>& owned);
  void poll();
  void drop(int shard);
  void fence(const Error& error);
  void check_drained();
  void finish_drain(bool everything);
  bool give_up(const Error& error);

  Outbox& outbox_;
  ShardTransports& transports_;
  Executor& executor_;
  PublisherOptions options_;
  PublisherEvents events_;
  PublisherCounters counters_;
  std::unique_ptr<ShardRunnerContext> context_;
  bool running_ = false;
  std::map<int, std::shared_ptr<ShardRunner>> runners_;  ///< shared with nobody for long
  std::unique_ptr<Timer> poll_timer_;
  std::unique_ptr<Timer> ownership_timer_;
  bool looking_at_ownership_ = false;
  bool look_again_ = false;
  bool ownership_known_ = false;
  std::function<void(bool)> drain_done_;
  std::unique_ptr<Timer> drain_timer_;
  bool dropped_while_draining_ = false;
};

void Publisher::Core::start(IncarnationId self) {
  BA_ASSERT(!context_);
  running_ = true;
  context_ = std::make_unique<ShardRunnerContext>(ShardRunnerContext{
      outbox_, executor_, options_, events_, counters_, self, [this](int shard) { drop(shard); },
      [this](const Error& error) { fence(error); }, [this] { check_drained(); }});
  look_at_ownership();
  poll_timer_ = executor_.after(options_.poll_interval, [this] { poll(); });
}

void Publisher::Core::stop() {
  running_ = false;
  poll_timer_.reset();
  ownership_timer_.reset();
  drain_timer_.reset();
  drain_done_ = nullptr;
  runners_.clear();
  counters_.shards_owned = 0;
}

void Publisher::Core::nudge(int shard) {
  if (const auto found = runners_.find(shard); found != runners_.end()) found->second->nudge();
}

void Publisher::Core::look_at_ownership() {
  if (!running_) return;
  look_again_ = looking_at_ownership_;
  if (looking_at_ownership_) return;
  looking_at_ownership_ = true;
  outbox_.own_shards(context_->self, [weak = weak_from_this()](auto result) {
    const auto core = weak.lock();
    if (!core || !core->running_) return;
    core->looking_at_ownership_ = false;
    if (result) {
      core->adopt(*result);
    } else if (core->give_up(result.error())) {
      return;
    }
    if (std::exchange(core->look_again_, false)) return core->look_at_ownership();
    core->ownership_timer_ = core->executor_.after(
        core->options_.ownership_interval, [raw = core.get()] { raw->look_at_ownership(); });
  });
}

void Publisher::Core::adopt(const std::vector<ShardState>& owned) {
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

void Publisher::Core::poll() {
  outbox_.pending_shards(context_->self, [weak = weak_from_this()](auto result) {
    const auto core = weak.lock();
    if (!core || !core->running_) return;
    if (!result && core->give_up(result.error())) return;
    if (result) {
      for (const int shard : *result)
        if (const auto found = core->runners_.find(shard); found != core->runners_.end())
          found->second->wake();
    }
    core->poll_timer_ =
        core->executor_.after(core->options_.poll_interval, [raw = core.get()] { raw->poll(); });
  });
}

/// Counts a failed call of the ledger; true when it ends everything.
bool Publisher::Core::give_up(const Error& error) {
  ++counters_.ledger_failures;
  if (error.code != ErrorCode::Fenced) return false;
  fence(error);
  return true;
}

void Publisher::Core::drop(int shard) {
  runners_.erase(shard);
  counters_.shards_owned = static_cast<int>(runners_.size());
  dropped_while_draining_ = true;
  check_drained();
}

void Publisher::Core::fence(const Error& error) {
  auto drain_done = std::move(drain_done_);
  stop();
  if (drain_done) drain_done(false);
  if (events_.fenced) events_.fenced(error);
}

void Publisher::Core::drain(Milliseconds limit, std::function<void(bool)> done) {
  BA_ASSERT(!drain_done_);
  if (!running_) return executor_.post([done = std::move(done)] { done(false); });
  drain_done_ = std::move(done);
  dropped_while_draining_ = false;
  drain_timer_ = executor_.after(limit, [this] { finish_drain(false); });
  for (const auto& [shard, runner] : runners_) runner->hurry();
  executor_.post([weak = weak_from_this()] {
    if (const auto core = weak.lock()) core->check_drained();
  });
}

void Publisher::Core::check_drained() {
  if (!drain_done_ || !ownership_known_) return;
  const bool all = std::all_of(runners_.begin(), runners_.end(),
                               [](const auto& entry) { return entry.second->drained(); });
  if (all) finish_drain(!dropped_while_draining_ && closed_topics().empty());
}

void Publisher::Core::finish_drain(bool everything) {
  drain_timer_.reset();
  for (const auto& [shard, runner] : runners_) runner->unhurry();
  const auto done = std::exchange(drain_done_, nullptr);
  done(everything);
}

PublisherCounters Publisher::Core::counters() const {
  PublisherCounters counters = counters_;
  counters.shards_failing = static_cast<int>(std::count_if(
      runners_.begin(), runners_.end(), [](const auto& entry) { return entry.second->failing(); }));
  return counters;
}

std::string Publisher::Core::closed_topics() const {
  ClosedTopics::Reasons reasons;
  for (const auto& [shard, runner] : runners_)
    for (const auto& [topic, why] : runner->closed_topics().reasons()) reasons[topic] = why;
  std::string all;
  for (const auto& [topic, why] : reasons) all += (all.empty() ? "" : "; ") + why;
  return all;
}

Publisher::Publisher(Outbox& outbox, ShardTransports& transports, Executor& executor,
                     PublisherOptions options, PublisherEvents events)
    : core_(std::make_shared<Core>(outbox, transports, executor, options, std::move(events))) {}

Publisher::~Publisher() { core_->stop(); }

void Publisher::start(IncarnationId self) { core_->start(self); }
void Publisher::nudge(int shard) { core_->nudge(shard); }
void Publisher::ownership_changed() { core_->look_at_ownership(); }
void Publisher::stop() { core_->stop(); }
PublisherCounters Publisher::counters() const { return core_->counters(); }
std::string Publisher::closed_topics() const { return core_->closed_topics(); }

void Publisher::drain(Milliseconds limit, std::function<void(bool everything)> done) {
  core_->drain(limit, std::move(done));
}

}  // namespace ba
