#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where records come from, as far as the engine steers it. Control thread; none of the calls waits.

#include <set>
#include <vector>

#include "pipeline/core/job/job.hpp"
#include "pipeline/core/ledger/intake_records.hpp"

namespace ba {

class IntakeSource {
 public:
  virtual ~IntakeSource() = default;

  /// The ledger has `records` more records and everything below these offsets.
  virtual void acknowledge(std::size_t records, std::vector<PartitionOffset> next_offsets) = 0;

  /// From now on exactly these lanes deliver nothing; what was handed over already still comes.
  virtual void set_paused(std::set<Lane> lanes) = 0;
};

}  // namespace ba
