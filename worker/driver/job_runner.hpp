#pragma once
// SPDX-License-Identifier: Apache-2.0
// Performs the run of one job: RunProtocol decides, this asks the model, runs tools, writes the
// ledger and feeds back what came of it. Owned by the Engine; control thread only. Destroying a
// runner drops everything it has in flight, which is what a dead incarnation must do.

#include <functional>
#include <memory>
#include <optional>

#include "pipeline/core/conversation/run_protocol.hpp"
#include "worker/driver/job_loader.hpp"
#include "worker/driver/job_summaries.hpp"
#include "worker/driver/job_tools.hpp"
#include "worker/driver/model_turn.hpp"
#include "worker/driver/runner_ports.hpp"

namespace ba::driver {

/// What a runner tells its owner, and asks.
struct RunHooks {
  std::function<void(LedgerJobId, RunEnd)> ended;
  std::function<bool()> lease_holds;           ///< by the worker's own clock
  SubAgentHost* sub_agents = nullptr;          ///< of this job; none: it is a sub-agent's
  std::function<void(const Spending&)> spent;  ///< of a sub-agent: since the last time
  std::optional<SubAgentBounds> bounds;        ///< of a sub-agent
};

class JobRunner final : public std::enable_shared_from_this<JobRunner> {
 public:
  JobRunner(const RunnerPorts& ports, IncarnationId self, ClaimedJob claimed, RunHooks hooks);
  ~JobRunner();

  void start();

  /// What happens to the run from outside: run::Drain, Pause, GraceOver, Cancel, CallSuspended,
  /// SubAgentsGone, and event::SubAgentsUsed, as the limits of a job hold for these too.
  void feed(RunEvent event);

  /// Of a sub-agent: the end of its run, once what it is writing is durable. Drops the model call
  /// under way; true if that may be paid. Its job stays as it is.
  bool halt();

  /// The incarnation is dead: drops everything in flight and does nothing any more.
  void drop();

  LedgerJobId job() const { return claimed_.id; }
  const ConversationState* state() const { return run_.conversation(); }  ///< null until loaded
  Milliseconds time_left() const;                                         ///< of its deadline
  bool overdue() const { return claimed_.overdue.has_value(); }
  bool stopping() const { return dropped_ || run_.stopping(); }
  const JobResult* result() const;      ///< once the job has finished
  int shard() const { return shard_; }  ///< of the outbox, for the job's records; likewise

  /// Lost calls of the job that this incarnation has on record: the next run counts from there.
  int lost_calls_recorded() const { return run_.lost_calls_recorded(); }
  void count_lost_calls_from(int recorded) { run_.count_lost_calls_from(recorded); }

 private:
  struct Performer;

  RunFacts facts() const;
  bool sub_agents_at_work() const;
  void leave_desk();
  void load();
  void loaded(Result<JobStart> start);
  void open(bool again);
  void ask_model();
  void commit(Delta delta);
  void keep_what_is_left(Delta& delta);
  void append();
  void appended(const Result<void>& result);
  void durable();
  void report(const Error& error, const char* what);  ///< to the observer
  void report_spending();
  void end(RunEnd how);

  const RunnerPorts& ports_;
  const IncarnationId self_;
  ClaimedJob claimed_;  ///< fresh until it is loaded: it is loaded again after it has written
  const RunHooks hooks_;
  RunProtocol run_;
  /// What is being written, kept to repeat it; then its summaries, or the result; may be null.
  SharedDelta pending_;
  ModelTurn turn_;
  JobTools tools_;
  JobSummaries summaries_;
  std::unique_ptr<JobLoader> loader_;
  Spending reported_;  ///< to RunHooks::spent
  std::unique_ptr<Timer> deadline_;
  std::unique_ptr<Timer> retry_;
  int shard_ = 0;
  bool dropped_ = false;  ///< nothing is performed any more
};

}  // namespace ba::driver
