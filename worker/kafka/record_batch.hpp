#pragma once
// SPDX-License-Identifier: Apache-2.0
// Records on their way to the control thread: handed over together once there are enough of them
// or the first has waited long enough. Owned by the intake loop; polling thread only.

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "pipeline/core/intake/raw_record.hpp"
#include "worker/kafka/kafka_options.hpp"

namespace ba {

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

}  // namespace ba
