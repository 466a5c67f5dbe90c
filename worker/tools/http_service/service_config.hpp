#pragma once
// SPDX-License-Identifier: Apache-2.0
// What can be configured of an HTTP service that a tool asks. Values.

#include <cstdint>
#include <string>

#include "pipeline/base/setting_problem.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/text/secret/secret.hpp"
#include "worker/http/http_client.hpp"

namespace ba::settings {
class SectionReader;
}  // namespace ba::settings

namespace ba::http_service {

struct ServiceConfig {
  std::string base_url;          ///< http(s)://host[:port][/path]; empty: the tool is off
  Secret api_key;                ///< empty: none is sent
  Milliseconds timeout{30'000};  ///< of the first try of a call
  Milliseconds connect_timeout{5'000};
  std::int64_t response_bytes_max = 1024 * 1024;
  int concurrency_max = 8;
  std::string proxy;  ///< http(s)://host:port; empty: none
  Secret proxy_user;  ///< empty: nobody logs in there
  Secret proxy_password;
  std::string ca_file;  ///< PEM of further trusted roots; empty: the system's

  friend bool operator==(const ServiceConfig&, const ServiceConfig&) = default;
};

void read_service(settings::SectionReader& in, ServiceConfig& service);

/// All but base_url, of which each tool says what it wants.
void check_service(KeyChecks& checks, const ServiceConfig& config);

/// To `url`, accepting JSON; without the api_key, whose header is each API's own. Its times are the
/// exchange's, but for connecting.
http::HttpEndpointConfig service_endpoint(const ServiceConfig& config, std::string url);

}  // namespace ba::http_service
