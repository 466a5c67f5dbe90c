// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/http_service/service_section.hpp"

#include <utility>

namespace ba::settings {

void read_service(SectionReader& in, ServiceConfig& service) {
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

}  // namespace ba::settings
