#pragma once
// SPDX-License-Identifier: Apache-2.0
// Names that follow from what they name: the same on every worker, every attempt and every repeat,
// so that whoever reads a topic can tell a repeat. Pure functions, any thread.

#include <string>
#include <string_view>

#include "pipeline/base/ids.hpp"
#include "pipeline/core/ledger/intake_records.hpp"

namespace ba {

/// Kinds of records that a job has exactly one of.
inline constexpr std::string_view kResultKind = "result";
inline constexpr std::string_view kMetricsKind = "metrics";
inline constexpr std::string_view kDeadLetterKind = "dead-letter";

/// Lower-case hex SHA-256 of the parts, each preceded by its length (8 bytes, big-endian).
ResultId result_id(const TenantId& tenant, const JobId& job_id, std::string_view kind);

/// The id of the dead letter of an undecodable record: by where the record stood.
ResultId dead_letter_id(const RecordSource& source);

/// The idempotency key of a tool call: by the job's business id, so that it outlives the ledger's
/// rows, and without the tool's version, so that it outlives an upgrade of the worker. 64
/// characters.
std::string effect_key(const TenantId& tenant, const JobId& job_id, const Position& call,
                       std::string_view tool);

/// The outbox shard of a job, 0 to shards - 1.
int shard_of(const TenantId& tenant, const JobId& job_id, int shards);
int shard_of(const ResultId& id, int shards);

/// Record key of a jobs topic: the conversation, so that its jobs stay in order.
std::string job_key(const Job& job);

/// Record key of the results and metrics topics: "<tenant>/<job id>".
std::string result_key(const TenantId& tenant, const JobId& job_id);

}  // namespace ba
