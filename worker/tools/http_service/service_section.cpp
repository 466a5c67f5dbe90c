// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/http_service/service_section.hpp"

#include <utility>

namespace ba::settings {

void read_service(SectionReader& in, ServiceConfig& service) {
  namespace bounds = service_bounds;
  in.read("base_url", service.base_url);
  in.read("api_key", service.api_key);
  in.read("timeout_ms", service.timeout, bounds::kTimeoutMs);
  in.read("connect_timeout_ms", service.connect_timeout, bounds::kConnectTimeoutMs);
  in.read("response_bytes_max", service.response_bytes_max, bounds::kResponseBytesMax);
  in.read("concurrency_max", service.concurrency_max, bounds::kConcurrencyMax);
  in.read("proxy", service.proxy);
  in.read("proxy_user", service.proxy_user);
  in.read("proxy_password", service.proxy_password);
  in.read("ca_file", service.ca_file);
}

}  // namespace ba::settings
