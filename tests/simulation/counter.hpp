#pragma once
// SPDX-License-Identifier: Apache-2.0
// The simulated counting of a model's provider, one for each process: what it says follows from the
// request alone, a share of what we estimate that is drawn for the history. It is slow, fails, or
// says nothing; after a failure it isn't asked for a while, as worker/llm does it.

#include "pipeline/core/model/exact_counter.hpp"
#include "tests/simulation/model.hpp"

namespace ba::sim {

/// How many percent of what we estimate it says, the same in a whole history.
std::int64_t counted_percent(const Scenario& scenario);

class CounterConnection final : public ExactCounter {
 public:
  CounterConnection(World& world, Process& process, const Scenario& scenario, const Model& model,
                    const LinkFaults& link, Checker& checker)
      : world_(world),
        process_(process),
        scenario_(scenario),
        model_(model),
        link_(link),
        checker_(checker) {}

  bool counts(const std::string& model) const override;
  std::unique_ptr<CountCall> count(const ModelRequest& request,
                                   std::function<void(ExactCount)> done) override;

 private:
  class Call;
  World& world_;
  Process& process_;
  const Scenario& scenario_;
  const Model& model_;
  const LinkFaults& link_;
  Checker& checker_;
  SteadyTime paused_until_{};
};

}  // namespace ba::sim
