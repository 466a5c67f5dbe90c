#pragma once
// SPDX-License-Identifier: Apache-2.0
// The metrics report of a job as the metrics topic and the ledger carry it; that of a whole
// conversation in the same form. Pure functions.

#include <string>

#include "pipeline/core/job/job.hpp"
#include "pipeline/core/metrics/conversation_report.hpp"
#include "pipeline/text/contract/publication.hpp"

namespace ba {

inline constexpr int kMetricsSchemaVersion = 1;

/// Data and text form in one message. Equal reports have equal bytes.
std::string encode_metrics(const Job& job, const ConversationReport& report, Encoding encoding);

/// Of all jobs of a conversation, as JSON: the same members, without those that name one job.
std::string conversation_metrics_json(const TenantId& tenant, const ConversationReport& report);

}  // namespace ba
