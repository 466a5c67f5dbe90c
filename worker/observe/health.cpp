// SPDX-License-Identifier: Apache-2.0
#include "worker/observe/health.hpp"

#include <nlohmann/json.hpp>

namespace ba::observe {

Health::Health(const Clock& clock, Milliseconds beat_age_max)
    : clock_(clock), beat_age_max_(beat_age_max) {}

void Health::beat() {
  last_beat_.store(clock_.now().time_since_epoch().count(), std::memory_order_relaxed);
}

void Health::set(const std::string& dependency, bool ready, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  dependencies_[dependency] = State{ready, ready ? std::string() : reason};
}

bool Health::alive() const {
  const std::int64_t beat = last_beat_.load(std::memory_order_relaxed);
  if (beat == kNone) return true;
  const SteadyTime last{SteadyTime::duration(beat)};
  return clock_.now() - last <= beat_age_max_;
}

bool Health::ready() const {
  const bool living = alive();
  const std::lock_guard lock(mutex_);
  bool all = living && !dependencies_.empty();
  for (const auto& [name, state] : dependencies_) all = all && state.ready;
  return all;
}

std::string Health::ready_json() const {
  nlohmann::ordered_json out;
  out["ready"] = ready();
  out["alive"] = alive();
  out["dependencies"] = nlohmann::ordered_json::object();
  const std::lock_guard lock(mutex_);
  for (const auto& [name, state] : dependencies_) {
    auto& shown = out["dependencies"][name];
    shown["ready"] = state.ready;
    if (!state.reason.empty()) shown["reason"] = state.reason;
  }
  using Json = nlohmann::ordered_json;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

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

}  // namespace ba::observe
