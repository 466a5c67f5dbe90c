#pragma once
// SPDX-License-Identifier: Apache-2.0
// How OTLP/HTTP requests are addressed, written and answered. Pure functions.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "worker/http/http_client.hpp"
#include "worker/trace/otlp_config.hpp"

namespace ba {

inline constexpr std::string_view kTracesPath = "/v1/traces";
inline constexpr std::string_view kMetricsPath = "/v1/metrics";

/// The path of the signal (`/v1/traces`) is added to the endpoint, unless it ends in it.
std::string otlp_url(std::string_view endpoint, std::string_view signal_path);

/// For requests with a body in the JSON encoding, compressed as configured.
HttpEndpointConfig otlp_endpoint(const OtlpConfig& config, std::string_view signal_path);
std::string otlp_body(const OtlpConfig& config, std::string json);

/// Whether the same request may succeed later: 429, 502, 503 and 504, and no others.
bool otlp_retryable(int status);

/// The port that a URL names; none: it names none.
std::optional<int> port_of(std::string_view url);

/// Exponential from 1 s, at most 30 s, up to half of it more; what the collector asks for instead,
/// at most a minute. `tries` that have failed, from 1.
Milliseconds otlp_retry_delay(int tries, std::optional<Milliseconds> asked, std::uint64_t random);

}  // namespace ba
