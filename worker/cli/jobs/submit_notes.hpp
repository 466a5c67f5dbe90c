#pragma once
// SPDX-License-Identifier: Apache-2.0
// What `submit` tells of what the ledger has: whether the conversation that a job names is there (a
// name that was mistyped begins a new one); whether the job under an id is the one that was just
// sent, or one that had the id before, when the ledger keeps the earlier one and runs nothing; and
// how far a job is. One thread.

#include <optional>
#include <string>
#include <vector>

#include "pipeline/core/job/job.hpp"
#include "storage/query.hpp"
#include "worker/cli/program/terminal.hpp"

namespace ba {

enum class EarlierJob {
  None,         ///< it is the job that was sent
  SameContent,  ///< sent before, and the same
  OtherContent
};

/// `place` is where the record of `sent` stands.
EarlierJob earlier_job(const Job& sent, const RecordSource& place, const JobTimeline& found);

/// What a person is told of it; not for None.
std::string earlier_job_text(EarlierJob earlier, const JobTimeline& found);

/// "conversation acme/sales is new", "continues conversation acme/sales (3 jobs)".
std::string conversation_note(const Job& job, const std::optional<ConversationStanding>& standing);

/// Tells, on `err`, of the conversations of the jobs, each once, as the ledger has them before the
/// jobs are sent. Of many (a file of jobs) only how many more there are.
Result<void> tell_conversations(const PgAccess& access, const std::vector<Job>& jobs,
                                Terminal& terminal);

/// "job-1 · round 1 of 2 · step 3 · query_database running · 1,234 tokens".
std::string progress_text(const JobTimeline& timeline, std::size_t messages);

/// The same for a job that isn't in the ledger yet.
std::string queued_text(const std::string& job_id);

}  // namespace ba
