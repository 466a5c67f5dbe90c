#pragma once
// SPDX-License-Identifier: Apache-2.0
// What `submit` does with its jobs. It sends them and says where they are: whoever submitted them
// must learn their ids whatever happens afterwards, or would submit them again. It tells what the
// ledger has: whether the conversation that a job names is there (a name that was mistyped begins a
// new one), whether the job under an id is the one that was just sent or had the id before (then
// the ledger keeps the earlier one and runs nothing), and how far a job is. One thread.

#include <optional>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/job/job.hpp"
#include "pipeline/core/ledger/intake_records.hpp"
#include "storage/query.hpp"
#include "worker/cli/jobs/job_arguments.hpp"
#include "worker/cli/program/terminal.hpp"
#include "worker/kafka/kafka_options.hpp"

namespace ba::cli {

/// A job, and where its record stands.
struct SentJob {
  Job job;
  RecordSource place;
};

struct Sending {
  std::vector<SentJob> sent;
  std::optional<Error> failure;  ///< of the first job that didn't get there
};

/// Puts the jobs on their topics. Blocks until each has its place or none.
Sending send_jobs(const std::vector<Job>& jobs, const kafka::KafkaOptions& kafka);

/// To a program: {"tenant", "job_id", "conversation_id", "topic", "partition", "offset"}.
void show_place(const SentJob& sent, Terminal& terminal);

/// To a person, on `err`: "submitted TENANT/JOB as TOPIC[PARTITION]@OFFSET".
void tell_place(const SentJob& sent, Terminal& terminal);

/// What a command says that doesn't wait: the ids on `out`, with their places as is wanted.
void show_sent(const std::vector<SentJob>& jobs, const SubmitArguments& arguments,
               Terminal& terminal);

/// Of jobs whose ends weren't seen: what was not told of them yet.
void show_unfinished(const std::vector<SentJob>& jobs, const SubmitArguments& arguments,
                     Terminal& terminal);

enum class EarlierJob {
  None,         ///< it is the job that was sent
  SameContent,  ///< sent before, and the same
  OtherContent
};

/// `place` is where the record of `sent` stands.
EarlierJob earlier_job(const Job& sent, const RecordSource& place,
                       const storage::JobTimeline& found);

/// What a person is told of it; not for None.
std::string earlier_job_text(EarlierJob earlier, const storage::JobTimeline& found);

/// "conversation acme/sales is new", "continues conversation acme/sales (3 jobs)".
std::string conversation_note(const Job& job,
                              const std::optional<storage::ConversationStanding>& standing);

/// Tells, on `err`, of the conversations of the jobs, each once, as the ledger has them before the
/// jobs are sent. Of many (a file of jobs) only how many more there are.
Result<void> tell_conversations(const storage::PgAccess& access, const std::vector<Job>& jobs,
                                Terminal& terminal);

/// "job-1 · round 1 of 2 · step 3 · query_database running · 1,234 tokens".
std::string progress_text(const storage::JobTimeline& timeline, std::size_t messages);

/// The same for a job that isn't in the ledger yet.
std::string queued_text(const std::string& job_id);

}  // namespace ba::cli
