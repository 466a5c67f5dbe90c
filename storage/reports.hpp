#pragma once
// SPDX-License-Identifier: Apache-2.0
// Metrics reports for `ba-agent report`: as published of one job, added up of a conversation. Each
// call is one reading transaction on a connection of its own. Blocking; any thread.

#include <optional>
#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/core/metrics/conversation_report.hpp"
#include "storage/access.hpp"

namespace ba::storage {

/// What a job of the ledger has as its report.
struct JobReport {
  std::string state;                ///< of the job, as `JobSummary` has it
  std::string metrics_json;         ///< as it was published; empty: the job hasn't ended
  std::string text;                 ///< of it, "Conversation Metrics Report"
  bool names_conversation = false;  ///< a conversation of its tenant has the job's id for its own
};

/// None when there is no such job.
Result<std::optional<JobReport>> find_job_report(const PgAccess& access, const TenantId& tenant,
                                                 const JobId& job);

/// Of a conversation's jobs that ended and are still in the ledger. Durations, tokens and money are
/// sums; a tool's p95 is over the calls of all.
struct ConversationSums {
  ConversationReport report;
  int jobs = 0;             ///< that are in it
  int unfinished_jobs = 0;  ///< that aren't yet
  int removed_jobs = 0;     ///< that retention took away
  int unreported_jobs = 0;  ///< of sub-agents, that ended with the jobs that asked for them
};

/// None when there is no such conversation.
Result<std::optional<ConversationSums>> find_conversation_report(
    const PgAccess& access, const TenantId& tenant, const ConversationId& conversation);

}  // namespace ba::storage
