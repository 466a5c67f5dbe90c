#pragma once
// SPDX-License-Identifier: Apache-2.0
// How OTLP/HTTP requests are addressed, written and answered. Spans stand in the JSON encoding
// (opentelemetry-proto 1.11: ids in hex, 64-bit numbers as decimal strings, enumerations as
// numbers). Pure functions.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "worker/http/http_client.hpp"
#include "worker/trace/span_queue.hpp"
#include "worker/trace/trace_ids.hpp"

namespace ba::trace {

inline constexpr std::string_view kTracesPath = "/v1/traces";
inline constexpr std::string_view kMetricsPath = "/v1/metrics";

/// The path of the signal (`/v1/traces`) is added to the endpoint, unless it ends in it.
std::string otlp_url(std::string_view endpoint, std::string_view signal_path);

/// For requests with a body in the JSON encoding, compressed as configured.
http::HttpEndpointConfig otlp_endpoint(const OtlpConfig& config, std::string_view signal_path);
std::string otlp_body(const OtlpConfig& config, std::string json);

/// Whether the same request may succeed later: 429, 502, 503 and 504, and no others.
bool otlp_retryable(int status);

/// The port that a URL names; none: it names none.
std::optional<int> port_of(std::string_view url);

/// Exponential from 1 s, at most 30 s, up to half of it more; what the collector asks for instead,
/// at most a minute. `tries` that have failed, from 1.
Milliseconds otlp_retry_delay(int tries, std::optional<Milliseconds> asked, std::uint64_t random);

/// Who tells it: service.name and the like.
struct TraceResource {
  std::vector<SpanAttribute> attributes;
  std::string scope_name = "ba-agent";
  std::string scope_version;
};

/// An ExportTraceServiceRequest.
std::string otlp_request_of(const TraceResource& resource, std::span<const Span> spans);

/// What an ExportTraceServiceResponse says of spans that it did not take; 0 where it says nothing,
/// or can't be read.
std::int64_t rejected_spans(std::string_view response);

// A body as HTTP's Content-Encoding gzip wants it (RFC 1952). Pure function; any thread.

std::string gzip(std::string_view body);

}  // namespace ba::trace
