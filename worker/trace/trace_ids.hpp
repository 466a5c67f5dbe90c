#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where a job stands in a trace. Everything follows from the job itself, so that whoever takes it
// over goes on in the same trace, under the same span, with the same decision. Pure functions.

#include <string>
#include <string_view>

#include "pipeline/core/job/job.hpp"
#include "pipeline/core/port/random.hpp"
#include "worker/trace/trace_config.hpp"

namespace ba {

struct TraceIds {
  std::string trace_id;   ///< 32 lower-case hex digits
  std::string parent_id;  ///< 16, of the span that sent the job; empty: it told none
  std::string span_id;    ///< 16, of the job's own span
  std::string agent_id;   ///< 16, of the agent's run below it

  friend bool operator==(const TraceIds&, const TraceIds&) = default;
};

/// The trace of the job's header traceparent; without one (or with one that isn't valid), a trace
/// that is named by tenant and job id.
TraceIds trace_ids_of(const Job& job);

/// By the trace id alone, as OpenTelemetry's consistent sampling does: the last 56 bits are taken
/// for random ones. What a header says of its sender's own sampling does not count.
bool sampled(TraceSampling sampling, std::string_view trace_id);

/// Never all zero.
std::string random_span_id(Random& random);

}  // namespace ba
