#pragma once
// SPDX-License-Identifier: Apache-2.0
// Brings a claimed job to where its run begins: to its state as the ledger has it, or, if that
// can't be read or must not be, to what is left of it and how it ends. A fresh job has no rows: the
// ledger isn't asked. Owned by its runner; control thread only. Destroying it drops what it has in
// flight.

#include <functional>
#include <memory>
#include <optional>

#include "pipeline/base/lifetime.hpp"
#include "pipeline/core/conversation/endings.hpp"
#include "pipeline/core/conversation/run_events.hpp"
#include "worker/driver/runner_ports.hpp"

namespace ba::driver {

class JobLoader final {
 public:
  /// Borrows both, which outlive it. `bounds`: of a sub-agent.
  JobLoader(const RunnerPorts& ports, IncarnationId self, const ClaimedJob& claimed,
            std::optional<SubAgentBounds> bounds)
      : ports_(ports), self_(self), claimed_(claimed), bounds_(std::move(bounds)) {}

  /// Once. Fenced: the incarnation is dead; any other error: nobody can tell whose job it is. What
  /// may pass is repeated until it has.
  void start(Completion<JobStart> done);

 private:
  using EndingOf = std::function<Ending(const JobRemains&)>;

  Result<RunProfile> profile_for(const Job& job, const SkillSet& pinned = {}) const;
  void load();
  void begin(Job job);
  void loaded(Job job, Result<StoredJob> stored);
  void corrupt(Job job, const Error& error);
  void salvage(std::optional<Job> job, EndingOf ending);
  void salvaged(std::optional<Job> job, Result<JobRemains> remains, const EndingOf& ending);
  void end(std::optional<Job> job, JobRemains remains, const EndingOf& ending);
  void report(const Error& error, const char* what, const Job* job) const;  ///< to the observer
  void later(std::function<void()> task);
  void answer(Result<JobStart> start);
  Moment moment() const { return {ports_.clock.now(), ports_.clock.wall()}; }

  const RunnerPorts& ports_;
  const IncarnationId self_;
  const ClaimedJob& claimed_;
  const std::optional<SubAgentBounds> bounds_;
  Completion<JobStart> done_;
  std::unique_ptr<Timer> retry_;
  Lifetime lifetime_;
};

}  // namespace ba::driver
