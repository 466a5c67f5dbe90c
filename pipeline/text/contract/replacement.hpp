#pragma once
// SPDX-License-Identifier: Apache-2.0
// What goes out in the place of a record that Kafka refuses for what it is (too large, invalid): a
// small record of the same kind, key and id that says so. Pure function.

#include <optional>
#include <string>

#include "pipeline/core/ledger/outbox_records.hpp"

namespace ba {

/// A result becomes one with outcome `failed`, code RESULT_REFUSED and no answers; a metrics report
/// loses its lists; a job's dead letter its conversation and its job; a record's dead letter its
/// value. None when what is left would not be smaller, or where the record already stands in the
/// place of a refused one.
std::optional<RecordReplacement> replacement_for(const OutboxRecord& refused,
                                                 const std::string& reason);

}  // namespace ba
