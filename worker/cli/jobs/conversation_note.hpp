#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether the conversation that a job names is there: a name that was mistyped begins a new one.
// Used by `submit`; one thread.

#include <optional>
#include <string>
#include <vector>

#include "pipeline/core/job/job.hpp"
#include "storage/query.hpp"
#include "worker/cli/program/terminal.hpp"

namespace ba {

/// "conversation acme/sales is new", "continues conversation acme/sales (3 jobs)".
std::string conversation_note(const Job& job, const std::optional<ConversationStanding>& standing);

/// Tells, on `err`, of the conversations of the jobs, each once, as the ledger has them before the
/// jobs are sent. Of many (a file of jobs) only how many more there are.
Result<void> tell_conversations(const PgAccess& access, const std::vector<Job>& jobs,
                                Terminal& terminal);

}  // namespace ba
