#pragma once
// SPDX-License-Identifier: Apache-2.0
// Spans as the body of an OTLP/HTTP request in its JSON encoding (opentelemetry-proto 1.11: ids in
// hex, 64-bit numbers as decimal strings, enumerations as numbers). Pure functions.

#include <span>
#include <string>
#include <vector>

#include "worker/trace/span.hpp"

namespace ba {

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

}  // namespace ba
