#pragma once
// SPDX-License-Identifier: Apache-2.0
// Headers of what brings a job and of what it causes: CloudEvents 1.0 in binary mode (Kafka
// binding), the content type, and the job's trace context. Pure functions.

#include <array>
#include <string>
#include <string_view>

#include "pipeline/core/ledger/outbox_records.hpp"
#include "pipeline/text/contract/publication.hpp"

namespace ba {

inline constexpr const char* kResultEventType = "ba.analysis.result.v1";
inline constexpr const char* kMetricsEventType = "ba.analysis.metrics.v1";
inline constexpr const char* kDeadLetterEventType = "ba.analysis.dead_letter.v1";

struct EventAttributes {
  std::string id;
  const char* type = kResultEventType;
  WallTime time{};
};

/// ce_correlationid is the job's; ce_causationid is the id of the event that carried the job.
Headers event_headers(const EventAttributes& event, const Job& job, const Publication& publication);

/// W3C trace context, carried from a job to what it causes: whether it is a traceparent that this
/// program passes on, version 00 to fe, lower-case hex, neither id
/// all zero (W3C Trace Context §3.2). An invalid one is ignored, never an error.
bool valid_traceparent(std::string_view text);

/// Of a tracestate: printable ASCII, as the format demands.
bool valid_tracestate(std::string_view text);

}  // namespace ba

/// The headers of a record on a jobs topic that decode_job() reads: schemas/asyncapi.yaml has the
/// same. Where several say one thing, the last of the list wins.
namespace ba::job_headers {

inline constexpr std::string_view kContentType = "content-type";
inline constexpr std::string_view kSpecVersion = "ce_specversion";
inline constexpr std::string_view kEventId = "ce_id";
inline constexpr std::array<std::string_view, 2> kCorrelationId{"correlationid",
                                                                "ce_correlationid"};
inline constexpr std::array<std::string_view, 2> kTraceparent{"ce_traceparent", "traceparent"};
inline constexpr std::array<std::string_view, 2> kTracestate{"ce_tracestate", "tracestate"};

}  // namespace ba::job_headers
