#pragma once
// SPDX-License-Identifier: Apache-2.0
// From records to the one ledger transaction that takes them in. Pure; control thread.

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pipeline/core/intake/raw_record.hpp"
#include "pipeline/core/job/job.hpp"
#include "pipeline/core/ledger/intake_records.hpp"

namespace ba {

/// The names of the topics that jobs come by, by lane.
using JobTopics = std::array<std::string, 3>;

/// The lane that a job topic stands for; none for another topic.
std::optional<Lane> lane_of_topic(const JobTopics& topics, std::string_view topic);

/// What a record turned out to be.
using IntakeRecord = std::variant<IntakeJob, DeadLetter>;
using DecodeRecord = std::function<IntakeRecord(RawRecord)>;

/// The next offset of each partition in `records`: one past the greatest offset seen in the
/// partition's newest epoch.
std::vector<PartitionOffset> next_offsets(const std::vector<RawRecord>& records);

/// Every record becomes a job or a dead letter, none is dropped, in the order they came.
IntakeBatch build_intake_batch(std::vector<RawRecord> records, const DecodeRecord& decode);

}  // namespace ba
