#pragma once
// SPDX-License-Identifier: Apache-2.0
// Drives one job: loads its state, performs the actions of the state machine through the ports and
// feeds the results back as events. Owned by the Engine; control thread only. Destroying a runner
// drops everything it has in flight, which is what a dead incarnation must do.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "pipeline/core/context/history_views.hpp"
#include "worker/driver/job_loader.hpp"
#include "worker/driver/runner_ports.hpp"
#include "worker/driver/summary_writer.hpp"

namespace ba {

/// How a run ended, for the engine.
enum class RunEnd {
  Finished,    ///< terminal in the ledger
  AtBoundary,  ///< stopped between two steps, for a drain or a pause: hand it back
  Unresolved,  ///< a person is to say what became of its open calls: hand it back, to wait
  Broken,      ///< not even its end can be written: left alone, a person must look
  Fenced,      ///< the incarnation is dead
};

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

  /// Lost calls of the job that this incarnation has on record, from before it handed the job back:
  /// the ledger keeps the greatest count of an incarnation, so the next one goes on from there.
  int lost_calls_recorded() const { return wasted_stored_; }
  void count_lost_calls_from(int recorded) { wasted_stored_ = recorded; }

  /// Ends at the next boundary: steps in flight are completed, no new model call begins.
  void drain();

  /// The grace time is over: drops the model call in flight, after counting it as lost.
  void abandon();

  /// Ends at the next boundary, as asked for by a person; then it is handed back.
  void pause();

  /// Ends the job at once: drops the model call and the tool runs in flight.
  void cancel();

  LedgerJobId job() const { return claimed_.id; }
  const ConversationState* state() const { return state_.get(); }  ///< null until it is loaded
  Milliseconds time_left() const;                                  ///< of its deadline
  bool overdue() const { return claimed_.overdue.has_value(); }
  bool stopping() const { return over_ || draining_ || pausing_; }
  bool request_out() const;         ///< a model call is under way that may be paid
  const JobResult* result() const;  ///< once the job has finished

  /// A sub-agent of the job began or spent; the job's limits hold for both.
  void sub_agents_used(const SubAgentUse& use);

  /// The call's sub-agent has stopped, as the job is to go back.
  void call_suspended(const Position& position);

  /// No sub-agent of the job is at work, or writes, any more.
  void sub_agents_gone();

  /// Of a sub-agent: the end of its run, once what it is writing is durable. Drops the model call
  /// under way; true if that may be paid. Its job stays as it is.
  bool halt();

  /// Outbox shard of the job's records; valid once the job has finished.
  int shard() const { return shard_; }

  /// The incarnation is dead: drops everything in flight and does nothing any more.
  void drop();

 private:
  void leave_desk();
  void load();
  void begin(Result<JobStart> start);
  void report(const Error& error, const char* what);  ///< to the observer
  void refused(const Error& error);
  void dispatch(Event event);
  void perform(Action action);
  void ask_model();
  SentHistory history_to_send();
  ModelRequest request_of(SentHistory sent);
  void count_first(const ModelRequest& request, ExactCountRow row);
  bool refused_already(const SentHistory& sent) const;
  void context_refused(const ModelReply& reply);
  const ToolOffer& offer_for(const std::string& model);
  ContextFrame frame_for(const std::string& model);
  void model_done(ModelOutcome outcome);
  void begin_summary();
  bool may_pay(const SummaryRequest& request) const;
  std::int64_t expected_cost(const SummaryRequest& request) const;
  Usage expected_reply() const;
  std::optional<std::int64_t> cost_of(const std::string& model, const Usage& usage) const;
  bool has_summary_at(const Position& at) const;
  void summary_ended(SummaryRow row);
  void summary_refused(const std::string& why);
  void remember(const std::vector<SummaryRow>& rows) const;
  int summaries_not_counted() const;
  std::vector<Position> summaries_not_paid() const;
  int forget_unpaid_summaries();
  bool give_back_first(std::function<void()> then);
  void keep_what_is_left();
  void go_on_asking();
  void run_tool(std::size_t index);
  bool lease_holds_for_call();
  AllowedTools allowed_here();
  bool reads_artifacts();
  void commit(Delta delta);
  void append();
  void appended(Result<void> result);
  void arm_deadline();
  void record_lost_call(std::function<void()> then);
  void report_lost_calls();
  void stop(Ending ending);
  void once_alone(std::function<void()> then);
  void report_spending();
  void stop_if_suspended();
  void stop_at_boundary();
  void wait_for_person();
  void end(RunEnd how);
  void later(std::function<void()> task);
  Moment moment() const;

  const RunnerPorts& ports_;
  IncarnationId self_;
  ClaimedJob claimed_;
  RunHooks hooks_;
  std::unique_ptr<JobLoader> loader_;
  std::unique_ptr<ConversationState> state_;
  AllowedTools allowed_;
  MachineContext context_;
  Delta pending_;                            ///< the delta being written, kept to repeat it
  std::map<std::string, ToolOffer> offers_;  ///< by model; views_ borrow of them
  std::optional<HistoryViews> views_;        ///< once the model is asked
  int compressions_copied_ = 0;              ///< of these, those that another job made
  std::unique_ptr<ModelCall> model_call_;
  std::unique_ptr<CountCall> count_call_;   ///< instead of it, before
  std::unique_ptr<SummaryWriter> summary_;  ///< while one is being written
  std::set<std::string> summaries_tried_;   ///< their contents
  bool giving_back_ = false;                ///< what was paid is being made durable first
  std::vector<std::unique_ptr<ToolRun>> tool_runs_;
  std::set<Position> suspended_;  ///< calls that wait for another run of the job
  Spending reported_;             ///< to RunHooks::spent
  std::unique_ptr<Timer> deadline_;
  std::unique_ptr<Timer> retry_;
  std::unique_ptr<Timer> fenced_;  ///< of the end that a tool's run found due
  int shard_ = 0;
  int wasted_stored_ = 0;                   ///< ConversationState::wasted_here as the ledger has it
  std::vector<Position> summaries_unpaid_;  ///< their rows say nothing of that; likewise
  int wasted_before_ = 0;                   ///< likewise, when the ledger refused rows
  std::optional<Error> refusal_;            ///< the ledger refused rows of this job: it is ending
  bool over_ = false;
  bool draining_ = false;
  bool pausing_ = false;
  bool cancelled_ = false;
  bool abandoned_ = false;
  bool halted_ = false;
  std::function<void()> once_alone_;  ///< when its sub-agents are gone
  std::optional<Ending> stopping_with_;
  bool committed_meanwhile_ = false;  ///< while it waits for that
};

}  // namespace ba
