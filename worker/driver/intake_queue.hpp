#pragma once
// SPDX-License-Identifier: Apache-2.0
// Records on their way from Kafka to the ledger, in their order: what one transaction takes in, and
// what becomes of records that the ledger refuses. A part of the Engine; control thread only.

#include <deque>
#include <vector>

#include "pipeline/core/intake/intake_batch.hpp"
#include "worker/driver/run_observer.hpp"

namespace ba::driver {

class IntakeQueue final {
 public:
  static constexpr std::size_t kBatchMax = 1000;  ///< records of one transaction

  explicit IntakeQueue(DecodeRecord decode) : decode_(std::move(decode)) {}

  void take(std::vector<RawRecord> records);
  bool empty() const { return batch_.empty() && records_.empty(); }
  std::int64_t size() const { return static_cast<std::int64_t>(records_.size()); }  ///< not sent

  /// The same again until its records are written() or refused.
  IntakeBatch next_batch();
  const std::vector<RawRecord>& batch() const { return batch_; }
  const IntakeSummary& summary() const { return summary_; }  ///< of the batch
  void written() { batch_.clear(); }

  /// Whether the ledger refuses a record, which holds up no other: those of its batch go on one by
  /// one, and itself becomes a dead letter, if need be one that says less.
  bool refused(const Error& error);

 private:
  std::size_t next_size() const;

  const DecodeRecord decode_;
  std::deque<RawRecord> records_;
  std::vector<RawRecord> batch_;  ///< being written; kept to repeat it
  IntakeSummary summary_;
  std::size_t singles_ = 0;  ///< so many of records_ go one by one
};

}  // namespace ba::driver
