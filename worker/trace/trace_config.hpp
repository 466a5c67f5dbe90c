#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which share of the traces is told, where OTLP goes to and how. Values; parsing is
// worker/config's.

#include <cstddef>
#include <map>
#include <string>

#include "pipeline/base/enum_names.hpp"
#include "pipeline/base/time.hpp"
#include "worker/http/secret.hpp"

namespace ba {

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

}  // namespace ba
