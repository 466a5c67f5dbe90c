// SPDX-License-Identifier: Apache-2.0
#include "worker/config/service_section.hpp"

#include <utility>

namespace ba::settings {

namespace {

void read_secret(SectionReader& in, const char* key, Secret& secret) {
  std::string text;
  in.secret(key, text);
  secret = Secret(std::move(text));
}

}  // namespace

void read_service(SectionReader& in, ServiceConfig& service) {
  namespace bounds = service_bounds;
  in.text("base_url", service.base_url);
  read_secret(in, "api_key", service.api_key);
  in.milliseconds("timeout_ms", service.timeout, bounds::kTimeoutMs);
  in.milliseconds("connect_timeout_ms", service.connect_timeout, bounds::kConnectTimeoutMs);
  in.number("response_bytes_max", service.response_bytes_max, bounds::kResponseBytesMax);
  in.number("concurrency_max", service.concurrency_max, bounds::kConcurrencyMax);
  in.text("proxy", service.proxy);
  read_secret(in, "proxy_user", service.proxy_user);
  read_secret(in, "proxy_password", service.proxy_password);
  in.text("ca_file", service.ca_file);
}

}  // namespace ba::settings
