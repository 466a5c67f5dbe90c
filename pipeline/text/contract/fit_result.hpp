#pragma once
// SPDX-License-Identifier: Apache-2.0
// Results have a limit (limits.result_bytes_max), below what Kafka takes: one that Kafka always
// refuses would hold up its outbox shard. Pure function.

#include "pipeline/core/job/outcome.hpp"
#include "pipeline/text/contract/publication.hpp"

namespace ba {

/// A result whose record would be longer than publication.result_bytes_max gets its longest answers
/// cut to one length, each with a mark that says how much of it is left out; the outcome stays, and
/// the ledger keeps the whole answers with their rounds. Any other comes back as it is.
JobResult fit_result(JobResult result, const Publication& publication);

}  // namespace ba
