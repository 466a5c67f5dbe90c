// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/call_gate.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace ba {
namespace {

constexpr double kMsPerMinute = 60'000;
constexpr double kBurstsPerMinute = 6;

}  // namespace

CallGate::CallGate(GateLimits limits, const Clock& clock, Executor& executor)
    : limits_(limits),
      burst_(std::max(1.0, limits.calls_per_minute / kBurstsPerMinute)),
      clock_(clock),
      executor_(executor),
      tokens_(burst_),
      counted_(clock.now()) {}

std::unique_ptr<CallGate::Place> CallGate::enter(std::function<void()> admitted) {
  auto place = std::make_unique<Place>(*this, std::move(admitted));
  if (waiting_.empty() && try_admit()) {
    place->in_ = true;
    return place;
  }
  waiting_.push_back(place.get());
  if (!next_) next_ = executor_.after(Milliseconds(0), [this] { admit_waiting(); });
  return place;
}

/// Takes what a call needs to begin.
bool CallGate::try_admit() {
  const SteadyTime now = clock_.now();
  if (limits_.calls_per_minute > 0) {
    const double passed = std::chrono::duration<double, std::milli>(now - counted_).count();
    tokens_ = std::min(burst_, tokens_ + passed * limits_.calls_per_minute / kMsPerMinute);
    counted_ = now;
  }
  if (limits_.concurrency_max > 0 && under_way_ >= limits_.concurrency_max) return false;
  if (limits_.calls_per_minute > 0) {
    if (tokens_ < 1) return false;
    tokens_ -= 1;
  }
  ++under_way_;
  return true;
}

/// Whoever is let in may end, or bring others, from inside its `admitted`.
void CallGate::admit_waiting() {
  next_.reset();
  while (!waiting_.empty() && try_admit()) {
    Place* const place = waiting_.front();
    waiting_.pop_front();
    place->in_ = true;
    std::exchange(place->admitted_, nullptr)();
  }
  if (waiting_.empty() || next_ || limits_.calls_per_minute == 0 || tokens_ >= 1) return;
  const auto delay = std::ceil((1 - tokens_) * kMsPerMinute / limits_.calls_per_minute);
  next_ = executor_.after(Milliseconds(std::max<std::int64_t>(1, std::llround(delay))),
                          [this] { admit_waiting(); });
}

void CallGate::leave(Place& place) {
  if (!place.in_) {
    std::erase(waiting_, &place);
    return;
  }
  --under_way_;
  // Later: whoever leaves may be in the midst of something.
  if (!waiting_.empty()) next_ = executor_.after(Milliseconds(0), [this] { admit_waiting(); });
}

CallGates::CallGates(const GateTable& table, const Clock& clock, Executor& executor) {
  for (const auto& [name, limits] : table)
    if (limits.any())
      gates_.emplace(std::piecewise_construct, std::tuple(name),
                     std::forward_as_tuple(limits, clock, executor));
}

std::vector<CallGate*> CallGates::of(const std::string& tool, const std::string& source) {
  std::vector<CallGate*> gates;
  for (const std::string& name : {tool, tool + "/" + source})
    if (const auto found = gates_.find(name); found != gates_.end())
      gates.push_back(&found->second);
  return gates;
}

}  // namespace ba
