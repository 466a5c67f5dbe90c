#pragma once
// SPDX-License-Identifier: Apache-2.0
// The polling thread of the intake consumer: everything that touches the library's consumer. It
// never waits for the control thread; what comes from there are commands. Inside worker/kafka.

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/core/intake/raw_record.hpp"
#include "worker/kafka/assigned_partitions.hpp"
#include "worker/kafka/client.hpp"
#include "worker/kafka/kafka_intake_consumer.hpp"
#include "worker/kafka/kafka_options.hpp"

namespace ba::kafka {

/// Records on their way to the control thread: handed over together once there are enough of them
/// or the first has waited long enough. Owned by the intake loop; polling thread only.
class RecordBatch {
 public:
  using SteadyClock = std::chrono::steady_clock;

  explicit RecordBatch(const KafkaIntakeOptions& limits) : limits_(limits) {}

  void add(RawRecord record, std::size_t bytes) {
    if (records_.empty()) began_ = SteadyClock::now();
    records_.push_back(std::move(record));
    bytes_ += bytes;
  }

  bool due() const {
    if (records_.empty()) return false;
    const bool full = static_cast<int>(records_.size()) >= limits_.batch_records_max ||
                      bytes_ >= static_cast<std::size_t>(limits_.batch_bytes_max);
    return full || SteadyClock::now() >= began_ + limits_.batch_linger;
  }

  /// How long may pass, at most `most`, until it is due.
  Milliseconds patience(Milliseconds most) const {
    if (records_.empty()) return most;
    const auto left =
        std::chrono::ceil<Milliseconds>(began_ + limits_.batch_linger - SteadyClock::now());
    return std::clamp(left, Milliseconds(0), most);
  }

  std::vector<RawRecord> take() {
    bytes_ = 0;
    return std::exchange(records_, {});
  }

 private:
  const KafkaIntakeOptions& limits_;
  std::vector<RawRecord> records_;
  std::size_t bytes_ = 0;
  SteadyClock::time_point began_;
};

/// What the loop tells; called on the polling thread, must only post.
struct IntakeLoopEvents {
  std::function<void(std::int64_t assignment, std::vector<PartitionOffset>)> assigned;
  std::function<void(std::int64_t assignment, PartitionOffset)> out_of_range;
  std::function<void(std::vector<RawRecord>)> records;
  std::function<void(Error)> trouble;
  std::function<void()> closed;
};

class IntakeLoop final : private ClientHooks {
 public:
  IntakeLoop(const KafkaOptions& options, IntakeLoopEvents events);

  Result<void> subscribe();
  void run();  ///< the polling thread; returns after close()

  // Any thread: each becomes a command.
  void start_at(std::int64_t assignment, Result<std::vector<PartitionOffset>> offsets);
  void epoch_begun(std::int64_t assignment, PartitionOffset before, Result<PartitionOffset> begun);
  void acknowledge(std::size_t records, std::vector<PartitionOffset> next_offsets);
  void set_paused(std::set<std::string> topics);
  void close();

  IntakeState state() const;  ///< any thread

 private:
  using SteadyClock = std::chrono::steady_clock;

  void add(std::function<void()> command);
  void run_commands();
  void poll_once();
  void take(const rd_kafka_message_t& message);
  void hand_over_if_due();

  void on_rebalance(rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t* list) override;
  void on_commit(rd_kafka_resp_err_t code) override;
  void on_error(const KafkaFailure& failure) override;
  void revoke();
  void ask_for_offsets();
  void assign(const std::vector<PartitionOffset>& offsets);
  void out_of_range(const rd_kafka_message_t& message);
  void forget(std::size_t records);
  void update_pauses();
  void leave();
  void refresh_state_if_due();
  void look_for_brokers();
  void tell_denial(Error error, const std::string& topic);
  void tell_trouble(Error error);

  const KafkaOptions options_;
  IntakeLoopEvents events_;
  ClientHandle client_;
  QueueHandle queue_;  ///< the consumer's own, to wake the poll up

  mutable std::mutex mutex_;
  std::deque<std::function<void()>> commands_;  ///< under the mutex
  IntakeState state_;                           ///< under the mutex

  // Of the polling thread alone from here on.
  AssignedPartitions partitions_;          ///< with offsets
  std::vector<PartitionOffset> awaiting_;  ///< offsets asked for
  std::int64_t assignment_ = 0;            ///< counts assignments and revocations
  bool is_awaiting_ = false;
  bool is_assigned_ = false;
  SteadyClock::time_point ask_again_at_ = SteadyClock::time_point::max();
  std::set<std::string> paused_topics_;
  RecordBatch batch_;
  std::deque<std::size_t> outstanding_;  ///< bytes of each record, in the order of handing over
  std::size_t outstanding_bytes_ = 0;
  bool held_ = false;  ///< too many are outstanding
  OffsetCommits commits_;
  bool connected_ = false;
  SteadyClock::time_point looked_at_;
  SteadyClock::time_point refreshed_at_;
  std::int64_t rebalances_ = 0;
  std::int64_t records_ = 0;
  std::map<std::string, SteadyClock::time_point> told_;  ///< troubles, so as not to repeat them
  bool closing_ = false;
};

}  // namespace ba::kafka
