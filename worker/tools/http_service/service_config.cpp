// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/http_service/service_config.hpp"

#include <utility>

#include "worker/http/http_client.hpp"
#include "worker/http/url.hpp"

namespace ba {
namespace {

constexpr auto kLong = std::chrono::hours(25);  // time is kept by the exchange
constexpr int kQueueMax = 1000;

}  // namespace

void check_service(KeyChecks& checks, const ServiceConfig& config) {
  checks.expect(is_header_value(config.api_key.reveal()), "api_key",
                std::string(config.api_key.masked()), "one line of text");
  checks.expect(config.proxy.empty() || is_http_url(config.proxy), "proxy",
                "'" + shown_url(config.proxy) + "'", kProxyForm);
  checks.expect(!config.proxy.empty() || config.proxy_user.empty(), "proxy_user",
                std::string(config.proxy_user.masked()), "for a proxy: set proxy too");
  checks.expect(!config.proxy_user.empty() || config.proxy_password.empty(), "proxy_password",
                std::string(config.proxy_password.masked()), "beside proxy_user");
}

HttpEndpointConfig service_endpoint(const ServiceConfig& config, std::string url) {
  HttpEndpointConfig endpoint;
  endpoint.url = std::move(url);
  endpoint.headers.emplace_back("Accept", Secret("application/json"));
  endpoint.connect_timeout = config.connect_timeout;
  endpoint.first_byte_timeout = endpoint.idle_timeout = endpoint.total_timeout = kLong;
  endpoint.reply_bytes_max = config.response_bytes_max;
  endpoint.concurrency_max = config.concurrency_max;
  endpoint.queue_max = kQueueMax;
  endpoint.compression = true;
  endpoint.proxy = config.proxy;
  endpoint.proxy_user = config.proxy_user;
  endpoint.proxy_password = config.proxy_password;
  endpoint.ca_file = config.ca_file;
  return endpoint;
}

}  // namespace ba
