// SPDX-License-Identifier: Apache-2.0
#include "worker/trace/trace_ids.hpp"

#include <charconv>
#include <cstdint>
#include <cstdio>

#include "pipeline/text/contract/event_headers.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"

namespace ba::trace {
namespace {

constexpr std::size_t kTraceDigits = 32;
constexpr std::size_t kSpanDigits = 16;
constexpr std::size_t kRandomDigits = 14;  // 56 bits

// In "00-<trace id>-<parent id>-<flags>".
constexpr std::size_t kTraceAt = 3;
constexpr std::size_t kParentAt = 36;

/// Lengths keep two names from running into each other.
std::string named(std::string_view what, const Job& job) {
  const std::string& tenant = job.tenant.value;
  return sha256_hex_of(std::string(what) + "\n" + std::to_string(tenant.size()) + "\n" + tenant +
                       job.job_id.value);
}

}  // namespace

TraceIds trace_ids_of(const Job& job) {
  TraceIds ids;
  if (valid_traceparent(job.traceparent)) {
    ids.trace_id = job.traceparent.substr(kTraceAt, kTraceDigits);
    ids.parent_id = job.traceparent.substr(kParentAt, kSpanDigits);
  } else {
    ids.trace_id = named("trace", job).substr(0, kTraceDigits);
  }
  ids.span_id = named("job in " + ids.trace_id, job).substr(0, kSpanDigits);
  ids.agent_id = named("agent in " + ids.trace_id, job).substr(0, kSpanDigits);
  return ids;
}

bool sampled(TraceSampling sampling, std::string_view trace_id) {
  constexpr std::uint64_t kAll = std::uint64_t{1} << 56;
  std::uint64_t random = 0;
  const std::string_view digits = trace_id.substr(trace_id.size() - kRandomDigits);
  std::from_chars(digits.data(), digits.data() + digits.size(), random, 16);
  const double rejected = (1 - share_of(sampling)) * static_cast<double>(kAll);
  return random >= static_cast<std::uint64_t>(rejected);
}

std::string random_span_id(Random& random) {
  std::uint64_t id = random.next();
  if (id == 0) id = 1;
  char digits[kSpanDigits + 1];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(id));
  return digits;
}

}  // namespace ba::trace
