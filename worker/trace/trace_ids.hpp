#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which share of the traces is told, where OTLP goes to and how: values, whose parsing is
// worker/config's. And where a job stands in a trace: everything follows from the job itself, so
// that whoever takes it over goes on in the same trace, under the same span, with the same
// decision. Pure functions.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "pipeline/base/enum_names.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/core/job/job.hpp"
#include "pipeline/core/port/random.hpp"
#include "pipeline/text/secret/secret.hpp"

namespace ba::trace {

enum class OtlpCompression { Gzip, None };
inline constexpr EnumNames<OtlpCompression, 2> kOtlpCompressionNames{
    {{OtlpCompression::Gzip, "gzip"}, {OtlpCompression::None, "none"}}};

/// The port of OTLP over gRPC by convention; OTLP over HTTP has 4318.
inline constexpr int kOtlpGrpcPort = 4317;

struct OtlpConfig {
  std::string endpoint;                   ///< http(s)://host[:port][/path], without /v1/traces
  std::map<std::string, Secret> headers;  ///< sent with each request
  std::string proxy;                      ///< http(s)://host:port; empty: none
  Secret proxy_user;                      ///< empty: nobody logs in there
  Secret proxy_password;
  std::string ca_file;  ///< PEM of further trusted roots; empty: the system's
  OtlpCompression compression = OtlpCompression::Gzip;
  Milliseconds timeout{5'000};  ///< of one request
  std::size_t batch_size = 100;
};

enum class TraceSampling { Always, High, Medium, Low, Never };
inline constexpr EnumNames<TraceSampling, 5> kTraceSamplingNames{{{TraceSampling::Always, "always"},
                                                                  {TraceSampling::High, "high"},
                                                                  {TraceSampling::Medium, "medium"},
                                                                  {TraceSampling::Low, "low"},
                                                                  {TraceSampling::Never, "never"}}};

/// 1, 0.5, 0.1, 0.01, 0.
constexpr double share_of(TraceSampling sampling) {
  switch (sampling) {
    case TraceSampling::Always:
      return 1;
    case TraceSampling::High:
      return 0.5;
    case TraceSampling::Medium:
      return 0.1;
    case TraceSampling::Low:
      return 0.01;
    case TraceSampling::Never:
      return 0;
  }
  return 0;
}

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

}  // namespace ba::trace
