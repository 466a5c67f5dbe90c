// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/http_service/service_config.hpp"

#include <utility>

#include "worker/http/http_client.hpp"
#include "worker/http/url.hpp"
#include "worker/settings/section_reader.hpp"

namespace ba::http_service {
namespace {

constexpr auto kLong = std::chrono::hours(25);  // time is kept by the exchange
constexpr int kQueueMax = 1000;

}  // namespace

void read_service(settings::SectionReader& in, ServiceConfig& service) {
  in.read("base_url", service.base_url);
  in.read("api_key", service.api_key);
  in.read("timeout_ms", service.timeout, {1, 3'600'000});
  in.read("connect_timeout_ms", service.connect_timeout, {1, 60'000});
  in.read("response_bytes_max", service.response_bytes_max, {1024, 16 * 1024 * 1024});
  in.read("concurrency_max", service.concurrency_max, {1, 1000});
  in.read("proxy", service.proxy);
  in.read("proxy_user", service.proxy_user);
  in.read("proxy_password", service.proxy_password);
  in.read("ca_file", service.ca_file);
}

void check_service(KeyChecks& checks, const ServiceConfig& config) {
  checks.expect(http::is_header_value(config.api_key.reveal()), "api_key",
                std::string(config.api_key.masked()), "one line of text");
  checks.expect(config.proxy.empty() || http::is_http_url(config.proxy), "proxy",
                "'" + http::shown_url(config.proxy) + "'", http::kProxyForm);
  checks.expect(!config.proxy.empty() || config.proxy_user.empty(), "proxy_user",
                std::string(config.proxy_user.masked()), "for a proxy: set proxy too");
  checks.expect(!config.proxy_user.empty() || config.proxy_password.empty(), "proxy_password",
                std::string(config.proxy_password.masked()), "beside proxy_user");
}

http::HttpEndpointConfig service_endpoint(const ServiceConfig& config, std::string url) {
  http::HttpEndpointConfig endpoint;
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

}  // namespace ba::http_service
