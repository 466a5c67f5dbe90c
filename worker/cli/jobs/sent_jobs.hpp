#pragma once
// SPDX-License-Identifier: Apache-2.0
// Jobs on their topics, and how a command tells where they are: whoever submitted them must learn
// their ids whatever happens afterwards, or would submit them again. Used by `submit`; one thread.

#include <optional>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/job/job.hpp"
#include "pipeline/core/ledger/intake_records.hpp"
#include "worker/cli/jobs/job_arguments.hpp"
#include "worker/cli/program/terminal.hpp"
#include "worker/kafka/kafka_options.hpp"

namespace ba {

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
Sending send_jobs(const std::vector<Job>& jobs, const KafkaOptions& kafka);

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

}  // namespace ba
