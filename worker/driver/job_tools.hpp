#pragma once
// SPDX-License-Identifier: Apache-2.0
// Runs the tool calls of a job's current step, and says what came of each. Owned by the job's
// runner; control thread only. Destroying it drops what is in flight.

#include <functional>
#include <memory>
#include <vector>

#include "worker/driver/model_turn.hpp"

namespace ba::driver {

class JobTools final {
 public:
  /// Borrows all, which outlive it. `lease_holds`: by the worker's own clock.
  JobTools(const RunnerPorts& ports, const RunProtocol& run, ModelTurn& turn, FeedRun feed,
           std::function<bool()> lease_holds)
      : ports_(ports),
        run_(run),
        turn_(turn),
        feed_(std::move(feed)),
        lease_holds_(std::move(lease_holds)) {}

  /// The call with this index in the state.
  void run(std::size_t index);

  void drop();

 private:
  const ConversationState& state() const { return *run_.conversation(); }
  ToolRequest request_of(const CallState& call);
  AllowedTools allowed_here();
  bool reads_artifacts();
  double window_used() const;
  bool lease_holds_for_call();

  const RunnerPorts& ports_;
  const RunProtocol& run_;
  ModelTurn& turn_;
  const FeedRun feed_;
  const std::function<bool()> lease_holds_;
  std::vector<std::unique_ptr<ToolRun>> runs_;  ///< by index
  std::unique_ptr<Timer> fenced_;               ///< of the end that a tool's run found due
};

}  // namespace ba::driver
