#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the health endpoints answer from: the control loop's sign of life and the state of each
// dependency. Written by whoever knows, read by the HTTP thread. Any thread.

#include <atomic>
#include <limits>
#include <map>
#include <mutex>
#include <string>

#include "pipeline/base/time.hpp"
#include "pipeline/core/port/clock.hpp"
#include "worker/observe/http_server.hpp"
#include "worker/observe/metrics.hpp"

namespace ba::observe {

class Health {
 public:
  /// Alive means: the last beat is at most `beat_age_max` old, or there was none yet (the start may
  /// wait for a dependency for as long as it takes).
  Health(const Clock& clock, Milliseconds beat_age_max);

  void beat();  ///< the control loop runs

  /// State of a dependency ("kafka", "postgres"); one that was never set isn't listed. The reason
  /// says why it isn't ready.
  void set(const std::string& dependency, bool ready, const std::string& reason = "");

  bool alive() const;
  bool ready() const;              ///< alive, something was set, and all of it is ready
  std::string ready_json() const;  ///< {"ready":…,"dependencies":{"kafka":{"ready":…,"reason":…}}}

 private:
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();

  struct State {
    bool ready = false;
    std::string reason;
  };

  const Clock& clock_;
  const Milliseconds beat_age_max_;
  std::atomic<std::int64_t> last_beat_{kNone};
  mutable std::mutex mutex_;
  std::map<std::string, State> dependencies_;
};

// The three endpoints of a worker: /metrics, /healthz (alive: 200, else 503), /readyz (the same,
// with each dependency as JSON). Both sources outlive the handler; without metrics there is no
// /metrics.

HttpServer::Handler worker_endpoints(const Metrics* metrics, const Health& health);

}  // namespace ba::observe
