// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "pipeline/core/intake/intake_batch.hpp"
#include "tests/contract/intake_consumer/intake_consumer_contract.hpp"

namespace ba {

std::vector<PartitionOffset> IntakeLedger::answer(std::vector<PartitionOffset> partitions) const {
  for (PartitionOffset& partition : partitions) {
    const IntakePartition key{partition.topic, partition.partition};
    partition.next_offset = next.contains(key) ? next.at(key) : -1;
    partition.epoch = epochs.contains(key) ? epochs.at(key) : 0;
  }
  return partitions;
}

/// As the real one does it: once for each epoch.
Result<PartitionOffset> IntakeLedger::begin_epoch(PartitionOffset partition) {
  begun.push_back(partition);
  const IntakePartition key{partition.topic, partition.partition};
  if (epochs[key] != partition.epoch)
    return Error{ErrorCode::Conflict, Retry::Never, "another epoch has begun", "", {}, false};
  next.erase(key);
  partition.next_offset = -1;
  partition.epoch = ++epochs[key];
  return partition;
}

IntakeMember::IntakeMember(IntakeConsumerRig& rig, IntakeLedger& ledger) : ledger_(ledger) {
  IntakeEvents events;
  events.start_offsets = [this](Offsets partitions, const Completion<Offsets>& done) {
    begin(std::move(partitions), done);
  };
  events.begin_epoch = [this](const PartitionOffset& partition,
                              const Completion<PartitionOffset>& done) {
    expect_outside("begin_epoch");
    EXPECT_TRUE(ledger_.out_of_range) << "no offset is out of range";
    const auto begun = ledger_.begin_epoch(partition);
    call([&] { done(begun); });
  };
  events.records = [this](std::vector<RawRecord> batch) { take(std::move(batch)); };
  events.trouble = [this](const Error& error) {
    expect_outside("trouble");
    EXPECT_TRUE(ledger_.out_of_range) << error.message;
  };
  call([&] { consumer_ = rig.join(std::move(events)); });
}

void IntakeMember::begin(Offsets partitions, const Completion<Offsets>& done) {
  expect_outside("start_offsets");
  asked.push_back(partitions);
  if (ledger_.silent) return unanswered.push_back(done);
  if (ledger_.down)
    return call([&] { done(Error{ErrorCode::Unavailable, Retry::Later, "", "", {}, false}); });
  const Offsets answer = ledger_.answer(std::move(partitions));
  expected_.clear();
  for (const PartitionOffset& offset : answer)
    expected_[{offset.topic, offset.partition}] = std::max<std::int64_t>(0, offset.next_offset);
  call([&] { done(answer); });
}

void IntakeMember::take(std::vector<RawRecord> batch) {
  expect_outside("records");
  EXPECT_LE(batch.size(), std::size_t{IntakeConsumerRig::kBatchMax});
  for (const RawRecord& record : batch) {
    std::int64_t& expected = expected_[{record.source.topic, record.source.partition}];
    EXPECT_EQ(record.source.offset, expected) << "out of order: " << record.value;
    expected = record.source.offset + 1;
  }
  records.insert(records.end(), batch.begin(), batch.end());
  if (takes_in) take_in(batch.size());
}

void IntakeMember::take_in(std::size_t count) {
  ASSERT_LE(taken_in_ + count, records.size());
  const auto from = records.begin() + static_cast<std::ptrdiff_t>(taken_in_);
  const std::vector<RawRecord> part(from, from + static_cast<std::ptrdiff_t>(count));
  taken_in_ += count;
  const Offsets offsets = next_offsets(part);
  for (const PartitionOffset& offset : offsets)
    ledger_.next[{offset.topic, offset.partition}] = offset.next_offset;
  acknowledge(count, offsets);
}

void IntakeMember::acknowledge(std::size_t count, Offsets next_offsets) {
  call([&] { consumer_->acknowledge(count, std::move(next_offsets)); });
}

void IntakeMember::pause(std::set<std::string> topics) {
  call([&] { consumer_->set_paused(std::move(topics)); });
}

void IntakeMember::close() {
  call([&] {
    consumer_->close([this] {
      expect_outside("close");
      ++closed;
    });
  });
}

std::vector<std::string> IntakeMember::values() const {
  std::vector<std::string> values;
  for (const RawRecord& record : records) values.push_back(record.value);
  std::sort(values.begin(), values.end());
  return values;
}

void IntakeMember::call(const std::function<void()>& work) {
  ++inside_;
  work();
  --inside_;
}

void IntakeMember::expect_outside(const char* what) const {
  EXPECT_EQ(std::this_thread::get_id(), control_) << what << " came on another thread";
  EXPECT_EQ(inside_, 0) << what << " came from inside a call";
}

}  // namespace ba
