#pragma once
// SPDX-License-Identifier: Apache-2.0
// A job in its own forms: the canonical bytes that the ledger keeps, and JSON for people and
// producers. Pure functions, any thread.

#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/core/job/job.hpp"

namespace ba {

/// Canonical protobuf bytes: equal jobs have equal bytes.
std::string encode_job(const Job& job);

/// The inverse of encode_job; Corrupt when the bytes are not what it wrote.
Result<Job> decode_job_payload(std::string_view bytes);

/// proto3 JSON with the field names as they stand in the .proto file.
std::string job_to_json(const Job& job);

}  // namespace ba
