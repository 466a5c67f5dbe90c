// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/producers.hpp"

#include <utility>

namespace ba::sim {
namespace {

constexpr Microseconds kLookAtLogs{100'000};
/// Whoever had asked for the old offset has heard by then, or the partition is another's.
constexpr Milliseconds kClearFor{1'200};
/// Late requests have arrived, paused workers have gone on.
constexpr Microseconds kQuietAfter{8'000'000};
constexpr int kRebalancesPermille = 200;
constexpr int kSentAgainPermille = 300;  ///< though it was taken in
constexpr std::int64_t kSentAgainUs = 200'000;

}  // namespace

void Producers::begin() {
  for (const PlannedRecord& planned : plan_.records) {
    ++unsent_;
    world_.at(planned.at, [this, &planned] {
      send({planned.lane, planned.partition, planned.record});
    });
  }
}

void Producers::send(Held held) {
  if (group_.logs().at({topics_.at(held.lane), held.partition}).in_doubt) {
    held_.push_back(std::move(held));
    return;
  }
  --unsent_;
  group_.append(held.lane, held.partition, std::move(held.record));
}

void Producers::make_topic_again() {
  const auto lane = static_cast<std::size_t>(world_.dice.below(std::ssize(topics_)));
  const std::string& topic = topics_.at(lane);
  made_again_ = true;
  std::erase_if(doubts_, [&](const auto& doubt) {
    return doubt.first.first == topic && epoch(doubt.first) > doubt.second.epoch;
  });
  for (RawRecord& record : group_.make_again(topic)) {
    if (checker_.taken_in(record) && !world_.dice.hit(kSentAgainPermille)) continue;
    ++unsent_;
    Held held{lane, record.source.partition, std::move(record)};
    world_.at(world_.up_to(kSentAgainUs), [this, held] { send(held); });
  }
  for (const auto& [key, log] : group_.logs())
    if (log.in_doubt) doubts_.try_emplace(key, Doubt{epoch(key), std::nullopt});
  if (world_.dice.hit(kRebalancesPermille)) group_.rebalance();
  look_later();
}

/// A reset that takes effect after the partition was assigned again leaves its worker in an epoch
/// that is over, which brings the ledger no offsets until the next assignment.
void Producers::heal() {
  world_.at(kQuietAfter, [this] {
    quiet_ = true;
    if (!made_again_) return;
    group_.rebalance();
    heal();
  });
}

void Producers::look_later() {
  if (std::exchange(looking_, true)) return;
  world_.at(kLookAtLogs, [this] {
    looking_ = false;
    look();
    if (!doubts_.empty()) look_later();
  });
}

void Producers::look() {
  for (auto& [key, doubt] : doubts_) {
    if (!clear(key, doubt)) {
      doubt.clear.reset();
    } else if (!doubt.clear) {
      doubt.clear = world_.now();
    } else if (world_.now() >= *doubt.clear + kClearFor) {
      group_.told_apart(key);
    }
  }
  std::erase_if(doubts_,
                [&](const auto& doubt) { return !group_.logs().at(doubt.first).in_doubt; });
  for (Held& held : std::exchange(held_, {})) send(std::move(held));
}

/// The ledger has begun a new epoch, or knows no offset and nobody can bring one any more.
bool Producers::clear(const PartitionKey& key, const Doubt& doubt) const {
  if (group_.anybody_inside(key)) return false;
  if (epoch(key) > doubt.epoch) return true;
  const bool known = database_->rows().intake_offset(key.first, key.second).has_value();
  if (quiet_ && known && world_.dice.hit(kRebalancesPermille)) group_.rebalance();
  return quiet_ && !known;
}

int Producers::epoch(const PartitionKey& key) const {
  return database_->rows().intake_epoch(key.first, key.second);
}

}  // namespace ba::sim
