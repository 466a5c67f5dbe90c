#pragma once
// SPDX-License-Identifier: Apache-2.0
// The headers of a record on a jobs topic that decode_job() reads: schemas/asyncapi.yaml has the
// same. Where several say one thing, the last of the list wins. Values.

#include <array>
#include <string_view>

namespace ba::job_headers {

inline constexpr std::string_view kContentType = "content-type";
inline constexpr std::string_view kSpecVersion = "ce_specversion";
inline constexpr std::string_view kEventId = "ce_id";
inline constexpr std::array<std::string_view, 2> kCorrelationId{"correlationid",
                                                                "ce_correlationid"};
inline constexpr std::array<std::string_view, 2> kTraceparent{"ce_traceparent", "traceparent"};
inline constexpr std::array<std::string_view, 2> kTracestate{"ce_tracestate", "tracestate"};

}  // namespace ba::job_headers
