#pragma once
// SPDX-License-Identifier: Apache-2.0
// The one place that turns a finished job into messages: its result and its metrics report, as
// outbox records. Pure function: the same input makes the same bytes.

#include <string>
#include <vector>

#include "pipeline/core/ledger/outbox_records.hpp"
#include "pipeline/core/metrics/conversation_report.hpp"
#include "pipeline/text/contract/publication.hpp"

namespace ba {

/// What JobFinished needs beside the result itself.
struct FinishedRecords {
  std::string result_bytes;  ///< exactly the value of the result's record
  std::string metrics_json;
  std::vector<OutboxRecord> outbox;  ///< the result, then the metrics report

  friend bool operator==(const FinishedRecords&, const FinishedRecords&) = default;
};

/// `result.result_id` must be result_id(tenant, job id, kResultKind).
FinishedRecords make_outbox_records(const Job& job, const JobResult& result,
                                    const ConversationReport& report,
                                    const Publication& publication);

}  // namespace ba
