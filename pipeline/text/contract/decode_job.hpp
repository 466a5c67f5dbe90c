#pragma once
// SPDX-License-Identifier: Apache-2.0
// From a record of a jobs topic to a validated job with defaults filled in, or the reason why not.
// Reads protobuf, JSON and CloudEvents (binary and structured mode), with or without
// Schema-Registry framing. Pure function, any thread; safe on any bytes.

#include <variant>

#include "pipeline/text/contract/limits.hpp"
#include "pipeline/text/contract/record.hpp"

namespace ba {

using DecodedRecord = std::variant<Job, DeadLetterReason>;

/// The content type is taken from the header `content-type`; without one it is detected: a first
/// byte 00 or 01 is framing, then `{` is JSON, everything else protobuf.
/// A job that names no lane gets `lane_of_topic`.
DecodedRecord decode_job(const RecordView& record, const JobContractLimits& limits,
                         Lane lane_of_topic = Lane::Normal);

}  // namespace ba
