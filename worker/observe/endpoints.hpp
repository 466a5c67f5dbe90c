#pragma once
// SPDX-License-Identifier: Apache-2.0
// The three endpoints of a worker: /metrics, /healthz (alive: 200, else 503), /readyz (the same,
// with each dependency as JSON). Both sources outlive the handler; without metrics there is no
// /metrics.

#include "worker/observe/health.hpp"
#include "worker/observe/http_server.hpp"
#include "worker/observe/metrics.hpp"

namespace ba {

HttpServer::Handler worker_endpoints(const Metrics* metrics, const Health& health);

}  // namespace ba
