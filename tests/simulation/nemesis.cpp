// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/nemesis.hpp"

#include <algorithm>

namespace ba::sim {
namespace {

constexpr Microseconds kWatch{400'000};
constexpr Fault kStrikes[] = {Fault::LedgerCrash,    Fault::LedgerSetBack,   Fault::LedgerClock,
                              Fault::KafkaCrash,     Fault::CoordinatorMove, Fault::ReceiptsDeleted,
                              Fault::TopicMadeAgain, Fault::Rebalance,       Fault::Kill,
                              Fault::Pause,          Fault::Drain,           Fault::WallJump,
                              Fault::ServerDown,     Fault::TopicClosed};

}  // namespace

Nemesis::Nemesis(Fleet& fleet, Victims victims) : fleet_(fleet), victims_(victims) {
  for (const Fault fault : kStrikes)
    if (fleet.scenario.on(fault)) means_.push_back(fault);
}

void Nemesis::begin() {
  const Scenario& scenario = fleet_.scenario;
  for (int number = 0; number < scenario.workers; ++number) {
    workers_.push_back(std::make_unique<Worker>(fleet_, number));
    fleet_.world.at(fleet_.world.up_to(300'000), [this, &worker = *workers_.back()] {
      start(worker);
      watch(worker);
    });
  }
  const std::int64_t span_us = scenario.disturbed_ms * 1000;
  if (scenario.on(Fault::LedgerSetBack))
    fleet_.world.at(fleet_.world.up_to(span_us / 2), [this] { victims_.database.take_backup(); });
  for (int i = 0; i < scenario.disturbances; ++i)
    fleet_.world.at(fleet_.world.up_to(span_us), [this] { strike(); });
}

void Nemesis::start(Worker& worker) {
  if (worker.running()) return;
  ProcessTraits traits;
  traits.number = ++processes_;
  Dice& dice = fleet_.world.dice;
  const int drift = fleet_.scenario.strength(Fault::ClockDrift);
  traits.drift_permille = drift == 0 ? 0 : static_cast<int>(dice.between(-drift / 2, drift / 2));
  if (!healed_ && dice.hit(fleet_.scenario.strength(Fault::KillMidTask)))
    traits.dies_at_action = static_cast<int>(dice.between(1, 60));
  worker.start(traits);
}

/// Somebody starts a worker again that isn't there any more.
void Nemesis::watch(Worker& worker) {
  if (!worker.running()) start(worker);
  fleet_.world.at(kWatch, [this, &worker] { watch(worker); });
}

Worker& Nemesis::any_worker() {
  return *workers_[static_cast<std::size_t>(
      fleet_.world.dice.below(static_cast<std::int64_t>(workers_.size())))];
}

void Nemesis::strike() {
  if (means_.empty() || healed_) return;
  strike(means_[static_cast<std::size_t>(
      fleet_.world.dice.below(static_cast<std::int64_t>(means_.size())))]);
}

void Nemesis::strike(Fault fault) {
  World& world = fleet_.world;
  world.note("strike", static_cast<std::int64_t>(fault), 0, to_string(fault));
  switch (fault) {
    case Fault::LedgerCrash:
      return victims_.database.crash(world.up_to(800'000));
    case Fault::LedgerSetBack:
      return set_back();
    case Fault::LedgerClock:
      return victims_.database.jump_clock(Milliseconds(world.dice.between(-1500, 1500)));
    case Fault::KafkaCrash:
      return crash_kafka();
    case Fault::CoordinatorMove:
      return move_coordinator();
    case Fault::ReceiptsDeleted:
      return victims_.transactions.after_receipt([this] { delete_receipts(); });
    case Fault::TopicMadeAgain:
      return victims_.producers.make_topic_again();
    case Fault::Rebalance:
      return victims_.group.rebalance();
    case Fault::ServerDown:
      return victims_.tool_server.restart();
    case Fault::TopicClosed:
      return close_topic();
    case Fault::Kill:
      return any_worker().kill();
    case Fault::Pause:
      return pause(any_worker());
    case Fault::Drain:
      return any_worker().drain();
    default:
      return any_worker().jump_wall(Milliseconds(world.dice.between(-5000, 5000)));
  }
}

/// Whoever restores a backup starts the workers again.
void Nemesis::set_back() {
  if (fleet_.world.dice.hit(500)) return fail_over();
  if (!victims_.database.has_backup()) return;
  victims_.database.set_back(fleet_.world.up_to(300'000));
  for (const auto& worker : workers_) worker->kill();
}

/// To a replica that lags a little, and so quickly that the workers keep their leases.
void Nemesis::fail_over() {
  victims_.database.take_backup();
  if (fleet_.world.dice.hit(300)) victims_.group.rebalance();
  fleet_.world.at(fleet_.world.up_to(250'000), [this] {
    if (!healed_) victims_.database.set_back(fleet_.world.up_to(200'000));
  });
}

/// At the worst moment: a batch is out, and its owner may not know it yet. A shard whose first
/// batch is still in doubt could not know that its receipt ever was.
void Nemesis::delete_receipts() {
  if (healed_) return;
  for (const FakeShard& shard : victims_.database.rows().shards())
    if (shard.assigned_batch > 0 && shard.published_batch == 0)
      return victims_.transactions.after_receipt([this] { delete_receipts(); });
  victims_.checker.receipts_were_deleted();
  victims_.transactions.delete_receipts();
}

void Nemesis::crash_kafka() {
  fleet_.world.note("kafka crashed");
  victims_.kafka_down = true;
  victims_.group.set_down(true);
  fleet_.world.at(fleet_.world.up_to(900'000), [this] {
    victims_.kafka_down = false;
    victims_.group.set_down(false);
  });
}

/// One of those that a job's end is told on.
void Nemesis::close_topic() {
  const auto& topics = fleet_.publication;
  victims_.transactions.close_topic(fleet_.world.dice.hit(500) ? topics.results_topic
                                                               : topics.metrics_topic);
  fleet_.world.at(fleet_.world.up_to(1'500'000), [this] { victims_.transactions.open_topics(); });
}

void Nemesis::move_coordinator() {
  victims_.coordinator_moving = true;
  fleet_.world.at(fleet_.world.up_to(300'000), [this] { victims_.coordinator_moving = false; });
}

void Nemesis::pause(Worker& worker) {
  worker.pause();
  const std::int64_t longest = 2 * fleet_.scenario.lease_ms * 1000;
  fleet_.world.at(fleet_.world.up_to(longest), [&worker] { worker.resume(); });
}

bool Nemesis::zombies() const {
  return std::any_of(workers_.begin(), workers_.end(),
                     [&](const auto& worker) { return worker->unaware(victims_.database.rows()); });
}

void Nemesis::heal() {
  healed_ = true;
  victims_.kafka_down = false;
  victims_.coordinator_moving = false;
  victims_.transactions.open_topics();
  victims_.group.set_down(false);
  victims_.tool_server.heal();
  for (const auto& worker : workers_) worker->resume();
  for (const auto& worker : workers_) worker->mark_cache();
}

}  // namespace ba::sim
