#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where OTLP goes to and how. Values; parsing is worker/config's.

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

}  // namespace ba
