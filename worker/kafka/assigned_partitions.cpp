// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/assigned_partitions.hpp"

#include <algorithm>

namespace ba::kafka {

PartitionList make_partition_list() { return PartitionList(rd_kafka_topic_partition_list_new(8)); }

rd_kafka_topic_partition_t& add_to(const PartitionList& list, const PartitionKey& key) {
  return *rd_kafka_topic_partition_list_add(list.get(), key.first.c_str(), key.second);
}

void AssignedPartitions::start(const std::vector<PartitionOffset>& offsets) {
  for (const PartitionOffset& offset : offsets) {
    Partition& partition = partitions_[{offset.topic, offset.partition}];
    partition.next = offset.next_offset;
    partition.position = offset.next_offset;
    partition.epoch = offset.epoch;
    partition.stopped = false;
  }
}

void AssignedPartitions::lift_pauses(rd_kafka_t& client) {
  const PartitionList paused = make_partition_list();
  for (auto& [key, partition] : partitions_) {
    if (partition.paused) add_to(paused, key);
    partition.paused = false;
  }
  if (paused->cnt > 0) rd_kafka_resume_partitions(&client, paused.get());
}

void AssignedPartitions::release(rd_kafka_t& client) {
  lift_pauses(client);
  partitions_.clear();
}

rd_kafka_resp_err_t AssignedPartitions::assign(rd_kafka_t& client) {
  lift_pauses(client);  // a new assignment keeps the library's pauses
  const PartitionList list = make_partition_list();
  for (const auto& [key, partition] : partitions_)
    add_to(list, key).offset =
        partition.position >= 0 ? partition.position : RD_KAFKA_OFFSET_BEGINNING;
  return rd_kafka_assign(&client, list.get());
}

void AssignedPartitions::pause(rd_kafka_t& client, bool all, const std::set<std::string>& topics) {
  const PartitionList pause = make_partition_list();
  const PartitionList resume = make_partition_list();
  for (auto& [key, partition] : partitions_) {
    const bool wanted = all || topics.contains(key.first);
    if (wanted == partition.paused) continue;
    partition.paused = wanted;
    add_to(wanted ? pause : resume, key);
  }
  if (pause->cnt > 0) rd_kafka_pause_partitions(&client, pause.get());
  if (resume->cnt > 0) rd_kafka_resume_partitions(&client, resume.get());
}

void AssignedPartitions::took(RecordSource& source) {
  const auto found = partitions_.find({source.topic, source.partition});
  if (found == partitions_.end()) return;
  found->second.position = source.offset + 1;
  source.epoch = found->second.epoch;
}

bool AssignedPartitions::acknowledged(const PartitionOffset& next) {
  const auto found = partitions_.find({next.topic, next.partition});
  if (found == partitions_.end()) return false;
  Partition& partition = found->second;
  if (partition.epoch != next.epoch || partition.next >= next.next_offset) return false;
  partition.next = next.next_offset;
  return true;
}

std::optional<PartitionOffset> AssignedPartitions::out_of_range(const PartitionKey& key,
                                                                bool stop) {
  const auto found = partitions_.find(key);
  if (found == partitions_.end()) return std::nullopt;
  found->second.stopped = stop;
  PartitionOffset known;
  known.topic = key.first;
  known.partition = key.second;
  known.next_offset = found->second.next;
  known.epoch = found->second.epoch;
  return known;
}

std::vector<PartitionLag> AssignedPartitions::lags(rd_kafka_t& client) const {
  std::vector<PartitionLag> lags;
  for (const auto& [key, partition] : partitions_) {
    PartitionLag lag;
    lag.topic = key.first;
    lag.partition = key.second;
    lag.next_offset = partition.next;
    lag.paused = partition.paused;
    lag.stopped = partition.stopped;
    std::int64_t low = 0;
    std::int64_t high = 0;
    const auto code =
        rd_kafka_get_watermark_offsets(&client, key.first.c_str(), key.second, &low, &high);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR && high >= 0) {
      lag.end_offset = high;
      lag.lag = std::max<std::int64_t>(0, high - std::max(partition.next, low));
    }
    lags.push_back(std::move(lag));
  }
  return lags;
}

void OffsetCommits::send(rd_kafka_t& client, bool now) {
  if (waiting_.empty()) return;
  if (!now && SteadyClock::now() < sent_at_ + interval_) return;
  const PartitionList list = make_partition_list();
  for (const auto& [key, next] : waiting_) add_to(list, key).offset = next;
  waiting_.clear();
  sent_at_ = SteadyClock::now();
  if (rd_kafka_commit(&client, list.get(), 1) == RD_KAFKA_RESP_ERR_NO_ERROR) ++under_way_;
}

bool OffsetCommits::answered(rd_kafka_resp_err_t code) {
  if (under_way_ > 0) --under_way_;
  return code != RD_KAFKA_RESP_ERR_NO_ERROR && code != RD_KAFKA_RESP_ERR__NO_OFFSET &&
         judge(failure_of(code)).step != KafkaStep::DropPartitions;
}

}  // namespace ba::kafka
