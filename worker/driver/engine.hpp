#pragma once
// SPDX-License-Identifier: Apache-2.0
// One incarnation's work: takes records in, claims jobs, runs them, hands them back when it drains.
// Everything happens on the control thread through ports; when the incarnation is found dead the
// engine drops all it has at once and says so. One engine per incarnation.

#include <deque>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "pipeline/core/intake/intake_batch.hpp"
#include "pipeline/core/intake/intake_window.hpp"
#include "worker/driver/job_runner.hpp"
#include "worker/driver/sub_agents.hpp"

namespace ba {

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
  ~Engine();

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

  int running() const { return static_cast<int>(runners_.size()); }
  std::int64_t waiting() const { return waiting_; }
  bool ledger_ok() const { return ledger_ok_; }

 private:
  void pump();
  void send_intake();
  std::size_t next_batch_size() const;
  void send_claim();
  ClaimRequest claim_request();
  std::chrono::seconds overdue_after(SteadyTime now);
  void note_waiting(const ClaimAnswer& answer, std::int64_t fresh);
  void acquired(Result<ClaimAnswer> answer);
  void taken_in();
  void failed(const Error& error);
  bool refused(const Error& error);
  void host_sub_agents();
  void start_job(ClaimedJob job);
  void ask_of(const RequestedJob& requested);
  void job_ended(LedgerJobId job, RunEnd how);
  void update_window();
  void hand_back();
  void not_handed_back(const Error& error);
  void finish_drain();
  void arm(Milliseconds delay);

  static constexpr std::size_t kBatchMax = 1000;  ///< records of one transaction

  const RunnerPorts& ports_;
  DecodeRecord decode_;
  EngineOptions options_;
  EngineHooks hooks_;
  IncarnationId self_;
  IntakeSource* source_ = nullptr;
  IntakeWindow window_;

  std::deque<RawRecord> records_;     ///< taken, not yet sent to the ledger
  std::vector<RawRecord> in_flight_;  ///< being written; kept to repeat it
  IntakeSummary summary_;             ///< of in_flight_
  std::size_t singles_ = 0;  ///< so many of records_ go one by one: the ledger refused their batch
  std::unordered_map<LedgerJobId, std::shared_ptr<JobRunner>> runners_;
  std::unique_ptr<SubAgents> sub_agents_;            ///< of these
  std::unordered_set<LedgerJobId> ended_meanwhile_;  ///< since the claim in flight was sent
  std::vector<ReturnedJob> to_hand_back_;
  std::unordered_map<LedgerJobId, int> lost_calls_;  ///< recorded by us, of jobs handed back
  std::unordered_set<LedgerJobId> broken_;           ///< ours, but cannot be run
  std::int64_t waiting_ = 0;    ///< in the ledger, as last counted, with what came and went since
  std::int64_t claimable_ = 0;  ///< of these, the next of each conversation; likewise
  std::optional<SteadyTime> counted_at_;
  bool counting_ = false;                        ///< the claim in flight counts
  std::optional<SteadyTime> overdue_sought_at_;  ///< none: the next claim looks for such jobs
  bool acquiring_ = false;                       ///< an intake or a claim is in flight
  bool want_claim_ = false;
  bool look_due_ = false;  ///< also without a free slot: somebody may ask something of a job
  bool handing_back_ = false;
  bool draining_ = false;
  bool over_ = false;
  bool ledger_ok_ = true;
  std::function<void()> drained_;
  std::unique_ptr<Timer> timer_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace ba
