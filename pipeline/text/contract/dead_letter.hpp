#pragma once
// SPDX-License-Identifier: Apache-2.0
// Dead letters. That of a record that could not become a job is, on the topic, the original record,
// byte for byte, with `ba.error.*` headers after its own (as Kafka Connect writes them: numbers as
// decimal text), so that it can be sent again unchanged; a null key or value is an empty one there,
// with `ba.error.no-key` or `ba.error.no-value`. That of a job that could not be run is a
// message of its own (schemas/ba/v1/dead_letter.proto) with the job and its conversation so far.
// Pure functions.

#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/core/job/outcome.hpp"
#include "pipeline/core/ledger/stored_job.hpp"
#include "pipeline/text/contract/publication.hpp"
#include "pipeline/text/contract/record.hpp"

namespace ba {

/// The ledger's row and the record for the topic. Texts that quote the record are cut to 200
/// (field) and 1000 (message) characters and made storable.
DeadLetter make_dead_letter(const RecordView& record, DeadLetterReason reason,
                            const Publication& publication);

/// A job that ended without being run to its end by a worker.
struct UnrunJob {
  const Job& job;            ///< as far as it is known: tenant, job and conversation id
  std::string_view payload;  ///< the stored bytes, readable or not
  const ConversationExcerpt& conversation;
  const JobError& error;
  int attempts = 1;
  WallTime ended_at{};
};

/// Its record for the dead-letter topic. Its id is result_id(tenant, job id, kDeadLetterKind).
OutboxRecord make_job_dead_letter(const UnrunJob& unrun, const Publication& publication);

/// A record's dead letter as the JSON form of ba.v1.DeadLetter; its id is letter.record.result_id.
std::string dead_letter_to_json(const DeadLetter& letter);

/// The same of a job's, from its record. Corrupt: it is none.
Result<std::string> job_dead_letter_to_json(const OutboxRecord& record);

}  // namespace ba
