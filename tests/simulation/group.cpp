// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/group.hpp"

#include <algorithm>

#include "tests/simulation/consumer.hpp"

namespace ba::sim {
namespace {

constexpr Microseconds kSessionTimeout{700'000};
constexpr std::int64_t kHeartbeatUs = 60'000;
constexpr std::int64_t kFirstTimestamp = 1'700'000'000'000;

}  // namespace

Group::Group(World& world, const Scenario& scenario, const JobTopics& topics, Listener& listener)
    : world_(world), scenario_(scenario), topics_(topics), listener_(listener) {
  for (const std::string& topic : topics)
    for (int partition = 0; partition < scenario.partitions; ++partition) logs_[{topic, partition}];
}

void Group::append(std::size_t lane, int partition, RawRecord record) {
  JobLog& log = logs_.at({topics_.at(lane), partition});
  const auto time = std::chrono::duration_cast<Milliseconds>(world_.now().time_since_epoch());
  record.source = {topics_.at(lane), "", partition, static_cast<std::int64_t>(log.records.size()),
                   kFirstTimestamp + time.count()};
  world_.note("record", static_cast<std::int64_t>(lane), record.source.offset);
  log.records.push_back(std::move(record));
  wake_members();
}

std::vector<RawRecord> Group::make_again(const std::string& topic) {
  world_.mark(Mark::TopicMadeAgain);
  world_.note("topic made again", 0, 0, topic);
  std::vector<RawRecord> lost;
  for (auto& [key, log] : logs_) {
    if (key.first != topic) continue;
    std::move(log.records.begin(), log.records.end(), std::back_inserter(lost));
    log = {{}, -1, log.number + 1, false, log.in_doubt || log.read};
  }
  wake_members();
  return lost;
}

bool Group::anybody_inside(const PartitionKey& key) const {
  return std::any_of(members_.begin(), members_.end(), [&](const Member& member) {
    return !member.process->dead() && member.alive.lock() && member.consumer->position(key) > 0;
  });
}

void Group::set_down(bool down) {
  down_ = down;
  if (!down) wake_members();
}

void Group::wake_members() {
  for (const Member& member : members_)
    if (!member.process->dead() && member.alive.lock()) member.consumer->fetch_soon();
}

void Group::join(Consumer& consumer, Process& process) {
  members_.push_back({&consumer, &process, consumer.alive()});
  rebalance();
}

void Group::leave(const Consumer& consumer) {
  // One that died with its process may have lain at the same address.
  const auto left = std::erase_if(members_, [&](const Member& member) {
    return member.consumer == &consumer && !member.alive.expired();
  });
  if (left > 0) rebalance();
}

void Group::silent(const Process& process) {
  world_.at(kSessionTimeout,
            [this, &process, pauses = process.pauses()] { expire(process, pauses); });
}

void Group::expire(const Process& process, int pauses) {
  const bool still = process.dead() || (process.paused() && process.pauses() == pauses);
  if (!still) return;
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [&](const Member& member) { return member.process == &process; });
  if (found == members_.end()) return;
  world_.mark(Mark::MemberExpired);
  // It hears of it when it wakes up, and joins again.
  const Member member = *found;
  members_.erase(found);
  world_.at(Microseconds(0), member.process, [member] {
    if (member.alive.lock()) member.consumer->rejoin();
  });
  rebalance();
}

void Group::rebalance() {
  if (members_.empty()) return;
  world_.mark(Mark::Rebalanced);
  const int generation = ++generation_;
  world_.note("rebalance", generation, static_cast<std::int64_t>(members_.size()));
  std::vector<std::vector<PartitionOffset>> shares(members_.size());
  std::size_t next = 0;
  for (const auto& [key, log] : logs_)
    shares[next++ % members_.size()].push_back({key.first, "", key.second, -1});
  for (std::size_t i = 0; i < members_.size(); ++i)
    world_.at(world_.up_to(kHeartbeatUs), members_[i].process,
              [member = members_[i], generation, share = std::move(shares[i])] {
                if (member.alive.lock()) member.consumer->adopt(generation, share);
              });
}

void Group::commit_offsets(int generation, const std::map<PartitionKey, CommittedOffset>& offsets) {
  if (generation != generation_) return world_.mark(Mark::OffsetCommitRefused);
  for (const auto& [key, offset] : offsets) {
    JobLog& log = logs_.at(key);
    if (offset.log != log.number) continue;  // a group's offsets go with the topic
    log.committed = offset.next;
    world_.note("offset committed", key.second, offset.next, key.first);
    listener_.offset_committed(key, offset.next);
  }
}

}  // namespace ba::sim
