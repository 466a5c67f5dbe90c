// SPDX-License-Identifier: Apache-2.0
#include "worker/config/service_section.hpp"

#include <utility>

namespace ba::settings {

void read_service(SectionReader& in, ServiceConfig& service) {
  namespace bounds = service_bounds;
  in.text("base_url", service.base_url);
  std::string key;
  in.secret("api_key", key);
  service.api_key = Secret(std::move(key));
  in.milliseconds("timeout_ms", service.timeout, bounds::kTimeoutMs);
  in.milliseconds("connect_timeout_ms", service.connect_timeout, bounds::kConnectTimeoutMs);
  in.number("response_bytes_max", service.response_bytes_max, bounds::kResponseBytesMax);
  in.number("concurrency_max", service.concurrency_max, bounds::kConcurrencyMax);
  in.text("proxy", service.proxy);
  in.text("ca_file", service.ca_file);
}

}  // namespace ba::settings
