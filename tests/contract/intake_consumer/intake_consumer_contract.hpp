#pragma once
// SPDX-License-Identifier: Apache-2.0
// What every IntakeConsumer does, asked through a rig that each implementation has: job topics of
// two partitions each, one group, and as many members as a test likes.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "pipeline/core/intake/intake_batch.hpp"
#include "pipeline/core/intake/intake_consumer.hpp"

namespace ba {

class IntakeConsumerRig {
 public:
  static constexpr int kPartitions = 6;       ///< of all lanes
  static constexpr int kBatchMax = 5;         ///< records handed over at once
  static constexpr int kOutstandingMax = 20;  ///< then no further batch begins

  virtual ~IntakeConsumerRig() = default;
  virtual const JobTopics& topics() const = 0;
  virtual std::unique_ptr<IntakeConsumer> join(IntakeEvents events) = 0;
  /// Appends a record for each value and returns once they are in the log.
  virtual void send(Lane lane, int partition, const std::vector<std::string>& values) = 0;
  /// The group's offset as Kafka has it; -1: none.
  virtual std::int64_t committed(Lane lane, int partition) = 0;
  virtual bool run_until(const std::function<bool()>& reached) = 0;  ///< false: took too long
  /// Lets so much time pass that whatever is under way has happened.
  virtual void settle() = 0;
};

struct IntakeConsumerKind {
  const char* name;
  std::unique_ptr<IntakeConsumerRig> (*make)();
};

using IntakePartition = std::pair<std::string, int>;

/// What the members of a test share: the ledger's offsets, and how it answers.
struct IntakeLedger {
  std::map<IntakePartition, std::int64_t> next;
  std::map<IntakePartition, int> epochs;
  bool down = false;                   ///< answers with an error
  bool silent = false;                 ///< doesn't answer
  bool out_of_range = false;           ///< a test has set an offset that its log doesn't have
  std::vector<PartitionOffset> begun;  ///< asked to begin a new epoch of them

  Result<PartitionOffset> begin_epoch(PartitionOffset partition);
  std::vector<PartitionOffset> answer(std::vector<PartitionOffset> partitions) const;
};

/// A member of the group as a worker has it, which fails the test when something comes on another
/// thread, from inside a call, or out of order.
class IntakeMember {
 public:
  using Offsets = std::vector<PartitionOffset>;

  IntakeMember(IntakeConsumerRig& rig, IntakeLedger& ledger);

  /// The ledger commits the oldest `count` of what it hasn't yet, then the consumer hears of it.
  void take_in(std::size_t count);
  void acknowledge(std::size_t count, Offsets next_offsets);
  void pause(std::set<std::string> topics);
  void close();
  void destroy() { consumer_.reset(); }

  IntakeState state() const { return consumer_->state(); }
  /// How many partitions it was last asked about; -1: not asked yet.
  int assigned() const { return asked.empty() ? -1 : static_cast<int>(asked.back().size()); }
  std::vector<std::string> values() const;  ///< of all records, sorted

  bool takes_in = true;  ///< what comes, at once
  std::vector<RawRecord> records;
  std::vector<Offsets> asked;  ///< each question for start offsets
  std::vector<Completion<Offsets>> unanswered;
  int closed = 0;  ///< answers

 private:
  void begin(Offsets partitions, const Completion<Offsets>& done);
  void take(std::vector<RawRecord> batch);
  /// Calls the consumer, which must not answer before it has returned.
  void call(const std::function<void()>& work);
  void expect_outside(const char* what) const;

  IntakeLedger& ledger_;
  const std::thread::id control_ = std::this_thread::get_id();
  int inside_ = 0;
  std::size_t taken_in_ = 0;
  std::map<IntakePartition, std::int64_t> expected_;  ///< next offset of each partition
  std::unique_ptr<IntakeConsumer> consumer_;
};

class IntakeConsumerContract : public testing::TestWithParam<IntakeConsumerKind> {
 protected:
  std::unique_ptr<IntakeMember> join() { return std::make_unique<IntakeMember>(*rig_, ledger_); }
  /// Joins and waits for all partitions.
  std::unique_ptr<IntakeMember> join_alone();

  bool has(const IntakeMember& member, std::size_t records);
  bool assigned(const IntakeMember& member, int partitions);
  bool closes(IntakeMember& member);
  void expect_nothing_more(const IntakeMember& member);

  std::string topic(Lane lane) const { return rig_->topics().at(static_cast<std::size_t>(lane)); }
  IntakePartition key(Lane lane, int partition) const { return {topic(lane), partition}; }
  PartitionOffset next(Lane lane, int partition, std::int64_t offset, int epoch = 0) const;

  const std::unique_ptr<IntakeConsumerRig> rig_ = GetParam().make();
  IntakeLedger ledger_;
};

}  // namespace ba
