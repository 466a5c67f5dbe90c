// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/consumer.hpp"

#include <algorithm>

namespace ba::sim {
namespace {

constexpr Milliseconds kAskAgain{200};
constexpr std::int64_t kFetchUs = 5'000;

}  // namespace

Consumer::Consumer(World& world, Process& process, Group& group, const LinkFaults& link,
                   const Scenario& scenario, Mutant mutant, IntakeEvents events)
    : world_(world),
      process_(process),
      group_(group),
      link_(link),
      scenario_(scenario),
      mutant_(mutant),
      events_(std::move(events)) {
  group_.join(*this, process_);
}

/// A dead process says nothing to the group.
Consumer::~Consumer() {
  if (!left_ && !process_.dead() && !world_.closed()) group_.leave(*this);
}

void Consumer::close(std::function<void()> done) {
  closed_ = true;
  partitions_.clear();
  on_left_ = std::move(done);
  if (commits_under_way_ == 0) leave();
}

void Consumer::leave() {
  left_ = true;
  group_.leave(*this);
  process_.post([this, alive = std::weak_ptr(alive_)] {
    if (alive.lock()) on_left_();
  });
}

void Consumer::rejoin() {
  if (closed_) return;
  ++assignment_;
  partitions_.clear();
  group_.join(*this, process_);
}

void Consumer::adopt(int generation, const std::vector<PartitionOffset>& partitions) {
  if (closed_ || generation < generation_) return;
  generation_ = generation;
  ++assignment_;
  ++rebalances_;
  partitions_.clear();
  awaiting_ = partitions;
  assigned_ = awaiting_.empty();
  ask_for_offsets();
}

void Consumer::ask_for_offsets() {
  if (awaiting_.empty()) return;
  Numbers logs;
  for (const PartitionOffset& asked : awaiting_)
    logs.push_back(group_.logs().at({asked.topic, asked.partition}).number);
  events_.start_offsets(awaiting_, [this, alive = std::weak_ptr(alive_), assignment = assignment_,
                                    logs](Result<std::vector<PartitionOffset>> offsets) {
    if (alive.lock()) start_at(assignment, logs, std::move(offsets));
  });
}

void Consumer::start_at(int assignment, const Numbers& logs,
                        Result<std::vector<PartitionOffset>> offsets) {
  if (assignment != assignment_ || closed_) return;
  if (!offsets) {
    ask_again_ = process_.after(kAskAgain, [this] { ask_for_offsets(); });
    return;
  }
  for (std::size_t i = 0; i < offsets->size(); ++i) {
    const PartitionOffset& offset = (*offsets)[i];
    const PartitionKey key{offset.topic, offset.partition};
    std::erase_if(awaiting_, [&](const PartitionOffset& asked) {
      return asked.topic == offset.topic && asked.partition == offset.partition;
    });
    Partition& partition = partitions_[key];
    partition.log = logs.at(i);
    partition.out_of_range = false;
    partition.position = std::max<std::int64_t>(0, offset.next_offset);
    if (mutant_ == Mutant::StartAtKafkaOffset)
      partition.position = std::max<std::int64_t>(0, group_.logs().at(key).committed);
    partition.acknowledged = offset.next_offset;
    partition.epoch = offset.epoch;
  }
  assigned_ = true;
  fetch_soon();
}

void Consumer::fetch_soon() {
  if (fetching_ || closed_) return;
  fetching_ = true;
  world_.at(world_.up_to(kFetchUs), &process_, [this, alive = std::weak_ptr(alive_)] {
    if (!alive.lock()) return;
    fetching_ = false;
    fetch();
  });
}

void Consumer::fetch() {
  if (group_.down() || closed_ || full()) return;
  std::vector<RawRecord> batch;
  std::map<PartitionKey, CommittedOffset> read_to;
  for (auto& [key, partition] : partitions_) {
    if (paused_topics_.contains(key.first) || partition.out_of_range) continue;
    const auto& log = group_.logs().at(key).records;
    if (partition.position > static_cast<std::int64_t>(log.size())) begin_epoch(key);
    while (partition.position < static_cast<std::int64_t>(log.size()) &&
           static_cast<int>(batch.size()) < scenario_.intake_batch) {
      batch.push_back(log[static_cast<std::size_t>(partition.position++)]);
      batch.back().source.epoch = partition.epoch;
      read_to[key] = {partition.position, partition.log};
      group_.was_read(key);
    }
  }
  if (batch.empty()) return;
  records_ += static_cast<std::int64_t>(batch.size());
  outstanding_ += static_cast<std::int64_t>(batch.size());
  if (mutant_ == Mutant::OffsetCommittedAtOnce) commit_offsets(std::move(read_to));
  fetch_soon();
  process_.post([this, alive = std::weak_ptr(alive_), batch = std::move(batch)]() mutable {
    if (alive.lock() && !closed_) events_.records(std::move(batch));
  });
}

/// Of a log that no longer holds the ledger's offset, as on_offset_out_of_range: earliest has it.
void Consumer::begin_epoch(const PartitionKey& key) {
  Partition& partition = partitions_.at(key);
  partition.out_of_range = true;
  world_.note("offset out of range", key.second, partition.position, key.first);
  PartitionOffset known{key.first, "", key.second, partition.acknowledged};
  known.epoch = partition.epoch;
  events_.begin_epoch(known, [this, alive = std::weak_ptr(alive_), assignment = assignment_,
                              key](const Result<PartitionOffset>& begun) {
    if (alive.lock()) epoch_begun(assignment, key, begun);
  });
}

/// However it went, the ledger knows best where the partition stands now.
void Consumer::epoch_begun(int assignment, const PartitionKey& key,
                           const Result<PartitionOffset>& begun) {
  if (assignment != assignment_ || closed_) return;
  if (begun) world_.mark(Mark::IntakeBeganAnew);
  awaiting_.push_back({key.first, "", key.second, -1});
  const bool at_once = begun || begun.error().code == ErrorCode::Conflict;
  ask_again_ = process_.after(at_once ? Milliseconds(0) : kAskAgain, [this] { ask_for_offsets(); });
}

std::int64_t Consumer::position(const PartitionKey& key) const {
  const auto found = partitions_.find(key);
  return found == partitions_.end() ? 0 : found->second.position;
}

void Consumer::acknowledge(std::size_t records, std::vector<PartitionOffset> next_offsets) {
  outstanding_ -= static_cast<std::int64_t>(records);
  std::map<PartitionKey, CommittedOffset> offsets;
  for (const PartitionOffset& offset : next_offsets) {
    const PartitionKey key{offset.topic, offset.partition};
    const auto found = partitions_.find(key);
    if (found == partitions_.end()) continue;
    Partition& partition = found->second;
    if (partition.epoch != offset.epoch || partition.acknowledged >= offset.next_offset) continue;
    partition.acknowledged = offset.next_offset;
    offsets[key] = {offset.next_offset, partition.log};
  }
  if (!offsets.empty()) commit_offsets(std::move(offsets));
  fetch_soon();
}

void Consumer::commit_offsets(std::map<PartitionKey, CommittedOffset> offsets) {
  if (!process_.acts("OffsetCommit")) return;
  ++commits_under_way_;
  send<bool>(
      world_, process_, link_,
      [&group = group_, generation = generation_,
       offsets = std::move(offsets)](const Reply<bool>& reply) {
        if (!group.down()) group.commit_offsets(generation, offsets);
        reply->answer(true);
      },
      [this, alive = std::weak_ptr(alive_)](std::optional<bool>) {
        if (alive.lock() && --commits_under_way_ == 0 && closed_) leave();
      });
}

void Consumer::set_paused(std::set<std::string> topics) {
  if (!topics.empty()) world_.mark(Mark::LanePaused);
  paused_topics_ = std::move(topics);
  fetch_soon();
}

IntakeState Consumer::state() const {
  IntakeState state{!group_.down(), assigned_, rebalances_, records_, outstanding_, {}};
  for (const auto& [key, partition] : partitions_) {
    const auto end = static_cast<std::int64_t>(group_.logs().at(key).records.size());
    PartitionLag lag{key.first, key.second, partition.acknowledged, end};
    lag.lag = end - std::max<std::int64_t>(0, partition.acknowledged);
    lag.paused = full() || paused_topics_.contains(key.first);
    state.partitions.push_back(std::move(lag));
  }
  return state;
}

}  // namespace ba::sim
