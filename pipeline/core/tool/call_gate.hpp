#pragma once
// SPDX-License-Identifier: Apache-2.0
// How much of a tool, or of a data source, is used at once and how often: calls wait in the order
// in which they came. Of one process; owned by the ToolRuntime. Control thread only.

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/core/port/clock.hpp"
#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/tool/gate_limits.hpp"

namespace ba {

class CallGate {
 public:
  /// Both outlive the gate.
  CallGate(GateLimits limits, const Clock& clock, Executor& executor);
  CallGate(const CallGate&) = delete;
  CallGate& operator=(const CallGate&) = delete;

  /// A call that waits or is under way. Destroying it ends either; before the gate goes.
  class Place;

  /// `admitted` is called once the call may begin, never from inside this call; not at all where
  /// the place says that it may begin now.
  [[nodiscard]] std::unique_ptr<Place> enter(std::function<void()> admitted);

 private:
  bool try_admit();
  void admit_waiting();
  void leave(Place& place);

  const GateLimits limits_;
  const double burst_;
  const Clock& clock_;
  Executor& executor_;
  int under_way_ = 0;
  double tokens_;  ///< calls that may begin now
  SteadyTime counted_;
  std::deque<Place*> waiting_;
  std::unique_ptr<Timer> next_;  ///< when the first that waits may look again
};

class CallGate::Place {
 public:
  Place(CallGate& gate, std::function<void()> admitted)
      : gate_(gate), admitted_(std::move(admitted)) {}
  ~Place() { gate_.leave(*this); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  bool in() const { return in_; }

 private:
  friend class CallGate;
  CallGate& gate_;
  std::function<void()> admitted_;
  bool in_ = false;
};

/// All gates of a process.
class CallGates {
 public:
  CallGates(const GateTable& table, const Clock& clock, Executor& executor);

  bool any() const { return !gates_.empty(); }

  /// That of the tool, then that of its data source, as far as there are such.
  std::vector<CallGate*> of(const std::string& tool, const std::string& source);

 private:
  std::map<std::string, CallGate> gates_;
};

}  // namespace ba
