// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/intake_queue.hpp"

#include <algorithm>
#include <iterator>

#include "pipeline/core/ledger/ledger.hpp"

namespace ba::driver {
namespace {

IntakeSummary summarise(const IntakeBatch& batch) {
  IntakeSummary summary;
  for (const IntakeJob& job : batch.jobs) ++summary.jobs.at(static_cast<std::size_t>(job.job.lane));
  for (const DeadLetter& letter : batch.dead_letters)
    summary.dead_letters.push_back(
        {letter.source, letter.reason, letter.field, letter.message, letter.record.shard});
  return summary;
}

}  // namespace

void IntakeQueue::take(std::vector<RawRecord> records) {
  std::move(records.begin(), records.end(), std::back_inserter(records_));
}

/// By number and by weight: what one statement and one task can carry, however large the records.
std::size_t IntakeQueue::next_size() const {
  const std::size_t most = singles_ > 0 ? 1 : std::min(records_.size(), kBatchMax);
  std::size_t bytes = bytes_of(records_.front());
  for (std::size_t count = 1; count < most; ++count) {
    bytes += bytes_of(records_[count]);
    if (bytes > kIntakeBatchBytesMax) return count;
  }
  return most;
}

IntakeBatch IntakeQueue::next_batch() {
  if (batch_.empty()) {
    const auto end = records_.begin() + static_cast<std::ptrdiff_t>(next_size());
    batch_.assign(std::make_move_iterator(records_.begin()), std::make_move_iterator(end));
    records_.erase(records_.begin(), end);
    if (singles_ > 0) --singles_;
  }
  IntakeBatch batch = build_intake_batch(batch_, decode_);
  summary_ = summarise(batch);
  return batch;
}

bool IntakeQueue::refused(const Error& error) {
  if (error.retry != Retry::Never || error.code != ErrorCode::InvalidArgument) return false;
  if (batch_.size() > 1) {
    singles_ += batch_.size();
    records_.insert(records_.begin(), std::make_move_iterator(batch_.begin()),
                    std::make_move_iterator(batch_.end()));
    batch_.clear();
    return true;
  }
  if (batch_.empty()) return false;
  auto& refusal = batch_.front().refusal;
  if (refusal && refusal->of_letter) return false;
  refusal = LedgerRefusal{error.message, refusal.has_value()};
  return true;
}

}  // namespace ba::driver
