#pragma once
// SPDX-License-Identifier: Apache-2.0
// Results between the core and the results topic. Pure functions, any thread.

#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/core/job/outcome.hpp"
#include "pipeline/text/contract/publication.hpp"

namespace ba {

inline constexpr int kResultSchemaVersion = 1;

/// Equal results have equal bytes.
std::string encode_result(const JobResult& result, Encoding encoding);

/// As encode_result() in JSON, with every name that a result can have but that of an error that
/// isn't there: for whoever looks names up. decode_result() reads it, too.
std::string result_to_json(const JobResult& result);

/// For readers of the topic. `content_type` may be empty: then it is detected; framing is taken
/// off. Corrupt: not a result; InvalidArgument: of a newer major version.
Result<JobResult> decode_result(std::string_view value, std::string_view content_type);

/// Results have a limit (limits.result_bytes_max), below what Kafka takes: one that Kafka always
/// refuses would hold up its outbox shard. A result whose record would be longer than
/// publication.result_bytes_max gets its longest answers cut to one length, each with a mark that
/// says how much of it is left out; the outcome stays, and the ledger keeps the whole answers with
/// their rounds. Any other comes back as it is.
JobResult fit_result(JobResult result, const Publication& publication);

}  // namespace ba
