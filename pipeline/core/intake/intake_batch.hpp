#pragma once
// SPDX-License-Identifier: Apache-2.0
// From records to the one ledger transaction that takes them in. Pure; control thread.

#include <functional>
#include <variant>
#include <vector>

#include "pipeline/core/intake/raw_record.hpp"
#include "pipeline/core/ledger/intake_records.hpp"

namespace ba {

/// What a record turned out to be.
using IntakeRecord = std::variant<IntakeJob, DeadLetter>;
using DecodeRecord = std::function<IntakeRecord(RawRecord)>;

/// The next offset of each partition in `records`: one past the greatest offset seen in the
/// partition's newest epoch.
std::vector<PartitionOffset> next_offsets(const std::vector<RawRecord>& records);

/// Every record becomes a job or a dead letter, none is dropped, in the order they came.
IntakeBatch build_intake_batch(std::vector<RawRecord> records, const DecodeRecord& decode);

}  // namespace ba
