// SPDX-License-Identifier: Apache-2.0
#include "worker/observe/endpoints.hpp"

namespace ba {

HttpServer::Handler worker_endpoints(const Metrics* metrics, const Health& health) {
  return [metrics, &health](const std::string& path, HttpAnswer& answer) {
    if (path == "/metrics" && metrics != nullptr) {
      answer.content_type = "text/plain; version=0.0.4; charset=utf-8";
      answer.body = metrics->exposition();
    } else if (path == "/healthz") {
      const bool alive = health.alive();
      answer.status = alive ? 200 : 503;
      answer.body = alive ? "ok\n" : "the control loop gives no sign of life\n";
    } else if (path == "/readyz") {
      answer.status = health.ready() ? 200 : 503;
      answer.content_type = "application/json";
      answer.body = health.ready_json() + "\n";
    } else {
      return false;
    }
    return true;
  };
}

}  // namespace ba
