#pragma once
// SPDX-License-Identifier: Apache-2.0
// One incarnation's work: takes records in, claims jobs, runs them, hands them back when it drains.
// Everything happens on the control thread through ports; when the incarnation is found dead the
// engine drops all it has at once and says so. One engine per incarnation.

#include <memory>
#include <vector>

#include "pipeline/base/lifetime.hpp"
#include "pipeline/core/intake/intake_batch.hpp"
#include "pipeline/core/intake/intake_window.hpp"
#include "worker/driver/backlog.hpp"
#include "worker/driver/intake_queue.hpp"
#include "worker/driver/job_runner.hpp"
#include "worker/driver/running_jobs.hpp"
#include "worker/driver/sub_agents.hpp"

namespace ba::driver {

struct EngineOptions {
  int running_max = 256;  ///< jobs this worker runs at once
  int retried_max = 32;   ///< of these, on their second attempt; one on a later attempt
  /// How long a job may wait for an earlier one of its conversation; 0: without a limit.
  std::chrono::seconds conversation_wait_max{0};
  IntakeWindowLimits window;
  Milliseconds claim_interval{500};  ///< how often to look for work that others left
  Milliseconds intake_retry{500};    ///< pause before a failed intake or claim is repeated
};

/// Told by the engine; control thread.
struct EngineHooks {
  std::function<void()> fenced;                   ///< the incarnation is dead: destroy the engine
  std::function<void(int shard)> outbox_written;  ///< rows of this shard were committed
  std::function<bool()> lease_holds;              ///< by the worker's own clock
};

class Engine final {
 public:
  Engine(const RunnerPorts& ports, DecodeRecord decode, EngineOptions options, EngineHooks hooks);

  /// Begins to claim and, when records come, to take in. `source` outlives the engine or is null
  /// (a worker without Kafka).
  void start(IncarnationId self, IntakeSource* source);

  /// Records from Kafka, in order per partition.
  void take(std::vector<RawRecord> records);

  /// Stops intake and claims; running jobs end at their next boundary. `done` comes when all are
  /// handed back or finished.
  void drain(std::function<void()> done);

  /// The grace time of a drain is over: model calls in flight are given up.
  void abandon();

  /// There may be work to claim: others died.
  void look_for_work();

  /// The incarnation is dead: drops everything; nothing is done or told after this call.
  void drop();

  int running() const { return jobs_.size(); }
  std::int64_t waiting() const { return backlog_.waiting(); }
  bool ledger_ok() const { return ledger_ok_; }

 private:
  enum class Phase {
    Working,
    Draining,  ///< nothing is taken in or claimed; jobs come to their ends and boundaries
    Drained,
    Dropped,
  };
  enum class LedgerCall { None, Acquire, HandBack };  ///< that is under way; an intake claims, too

  void pump();
  void send_intake();
  void send_claim();
  ClaimRequest claim_request();
  void acquired(Result<ClaimAnswer> answer);
  void taken_in();
  void failed(const Error& error);
  void job_ended(const JobRunner& runner, RunEnd how);
  void update_window();
  void hand_back();
  void not_handed_back(const Error& error);
  void finish_drain();
  void arm(Milliseconds delay);

  const RunnerPorts& ports_;
  const EngineOptions options_;
  const EngineHooks hooks_;
  IncarnationId self_;
  IntakeSource* source_ = nullptr;
  IntakeQueue intake_;
  Backlog backlog_;
  RunningJobs jobs_;
  std::vector<ReturnedJob> to_hand_back_;
  Phase phase_ = Phase::Working;
  LedgerCall call_ = LedgerCall::None;
  bool want_claim_ = false;
  bool look_due_ = false;  ///< also without a free slot: somebody may ask something of a job
  bool ledger_ok_ = true;
  std::function<void()> drained_;
  std::unique_ptr<Timer> timer_;
  Lifetime lifetime_;
};

}  // namespace ba::driver
