// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/intake/intake_batch.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ba {

std::optional<Lane> lane_of_topic(const JobTopics& topics, std::string_view topic) {
  for (const Lane lane : {Lane::High, Lane::Normal, Lane::Batch})
    if (topics.at(static_cast<std::size_t>(lane)) == topic) return lane;
  return std::nullopt;
}

std::vector<PartitionOffset> next_offsets(const std::vector<RawRecord>& records) {
  std::map<std::pair<std::string, int>, PartitionOffset> greatest;
  for (const RawRecord& record : records) {
    const RecordSource& source = record.source;
    PartitionOffset& entry = greatest[{source.topic, source.partition}];
    if (source.epoch < entry.epoch) continue;
    if (source.epoch > entry.epoch) entry = {};
    entry.epoch = source.epoch;
    entry.topic = source.topic;
    entry.topic_id = source.topic_id;
    entry.partition = source.partition;
    entry.next_offset = std::max(entry.next_offset, source.offset + 1);
  }
  std::vector<PartitionOffset> offsets;
  offsets.reserve(greatest.size());
  for (auto& [key, entry] : greatest) offsets.push_back(std::move(entry));
  return offsets;
}

IntakeBatch build_intake_batch(std::vector<RawRecord> records, const DecodeRecord& decode) {
  IntakeBatch batch;
  batch.offsets = next_offsets(records);
  for (RawRecord& record : records) {
    IntakeRecord decoded = decode(std::move(record));
    if (auto* job = std::get_if<IntakeJob>(&decoded)) {
      batch.jobs.push_back(std::move(*job));
    } else {
      batch.dead_letters.push_back(std::get<DeadLetter>(std::move(decoded)));
    }
  }
  return batch;
}

}  // namespace ba
