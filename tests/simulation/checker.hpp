#pragma once
// SPDX-License-Identifier: Apache-2.0
// Looks after every visible change whether the invariants of ARCHITECTURE.md still hold, and at the
// end whether everything came to its end. The first violation is kept; a history stops there.

#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>

#include "pipeline/core/conversation/state.hpp"
#include "tests/simulation/database.hpp"
#include "tests/simulation/group.hpp"
#include "tests/simulation/model.hpp"
#include "tests/simulation/transactions.hpp"

namespace ba::sim {

std::string name_of(const FakeJob& job);   ///< for a violation: <tenant>/<job>
bool waited_too_long(const FakeJob& job);  ///< so its end says

class Checker final : public Transactions::Listener, public Group::Listener {
 public:
  Checker(World& world, const Scenario& scenario, const Plan& plan)
      : world_(world), scenario_(scenario), plan_(plan) {}

  void watch(const Database& database, const Group& group) {
    database_ = &database;
    group_ = &group;
  }

  // Visible changes.
  void committed(LedgerCall call, IncarnationId self);
  void entered(IncarnationId incarnation);
  void database_was_set_back();
  void receipts_were_deleted() { receipts_deleted_ = true; }
  void record_visible(const OutboxRecord& record) override;
  void receipt_visible(int shard, std::int64_t number) override;
  void record_refused(const OutboxRecord& record) override;
  void offset_committed(const PartitionKey& key, std::int64_t next) override;
  void claim_heard(IncarnationId self, const ClaimAnswer& answer, bool acts);
  void job_ends(IncarnationId self, LedgerJobId job) { ends_.insert({job, self}); }
  void model_asked(const ModelQuestion& question, const Process& process);
  /// By a job that runs in this conversation.
  ModelQuestion question_of_summary(const ModelRequest& request, const Process& process) const;
  std::optional<int> next_step(std::uint64_t conversation, int round) const;
  void tool_asked(const ToolInvocation& call, const Process& process);
  void model_sent(const ModelQuestion& question);
  void model_paid(const ModelQuestion& question, const Process& process);
  /// The model doesn't take what it was sent, paid or not.
  void context_full(const ModelQuestion& question);
  void model_failure_heard(const ModelQuestion& question, const Process& process);
  void model_sees(const ModelQuestion& question, const ModelRequest& request,
                  const Process& process);
  /// A provider is asked how many tokens it takes a request for.
  void count_asked(const ModelQuestion& question, const Process& process);
  /// What came of it, as the process knows it now.
  void counted(LedgerJobId job, const ExactCountRow& row, const Process& process);
  void read_ran(int run, const ToolInvocation& call);
  void read_told(LedgerJobId job, const TenantId& tenant, const ToolResult& result);
  bool has_skills() const { return scenario_.on(Fault::Skills); }
  void call_told(LedgerJobId id, const CallState& call, const ToolResult& result);
  void fetch_told(const ToolCall& call, const TenantId& tenant, const ToolResult& result);
  void tool_ran(EffectClass effect, const ToolInvocation& call, bool fresh);
  void served_call_failed(const ToolInvocation& call, const ToolError& error, bool maybe_done);

  bool taken_in(const RawRecord& record) const;

  /// Requests about this job of the plan that the model took.
  int paid(int job) const { return paid_.contains(job) ? paid_.at(job) : 0; }

  /// A person can't tell what became of the call either.
  void given_up(LedgerJobId job, const Position& call) { given_up_.insert({job, call}); }

  /// Every job has its row and every record is published, as far as that is possible.
  bool settled() const;
  void check_end();

  const std::string& violation() const { return violation_; }
  void fail(const std::string& what);

 private:
  using CallKey = std::tuple<LedgerJobId, Position>;
  struct Effect {
    int times = 0;
    std::string key;
  };
  /// What the model calls of a job and its sub-agents come to.
  struct Bill {
    int sent = 0;
    int failed = 0;         ///< the failure was heard: not paid
    int empty_crashes = 0;  ///< of workers that may have had a call under way, and had none
    IncarnationId runner;   ///< when it was last looked at
  };

  void check_jobs();
  void check_removed();
  void worker_told(IncarnationId self, const RequestedJob& requested);
  void check_handed_back(IncarnationId self);
  void check_asked_for(const FakeJob& job);
  void check_overdue(const FakeJob& job);
  void check_waited(const FakeJob& job);
  void check_asks(const FakeJob* job, const Process& process, const std::string& what);
  void check_job(const FakeJob& job);
  void check_terminal(const FakeJob& job);
  void check_replaced(const FakeJob& job);
  void check_in_outbox(const FakeJob& job);
  void check_unpublished();
  void check_letter(const OutboxRecord& record);
  void check_order(const OutboxRecord& record, std::span<const FakeOutboxRow> before);
  void check_history(const FakeJob& job);
  void check_taken_in(const PartitionKey& key, std::int64_t next, const char* whose);
  void check_complete(const ToolInvocation& call);
  void check_published();
  void check_effects(const FakeJob& job);
  void check_person_was_asked(const FakeJob& job);
  void check_bills(LedgerCall call);
  void crashed(const FakeJob& root, Bill& bill) const;
  int left(const FakeJob& root, const Bill& bill) const;
  int stored_of(const FakeJob& root) const;
  int wasted_of(const FakeJob& root) const;
  int times(const FakeJob& job, const Position& call, const std::string& tool) const;
  void check_summary_asked(const FakeJob& job, const ModelQuestion& question);
  void check_summaries_seen(const ModelQuestion& question, const ModelRequest& request);
  const FakeJob* running_in(std::uint64_t conversation) const;
  bool forbidden(const FakeJob& job, const Position& call, const std::string& tool) const;
  void check_skills(const FakeJob& job);
  void check_skill_use(const FakeJob& job, const StoredSkillUse& use);
  void check_skill_calls(const FakeJob& job);
  void check_skill_refusal(const FakeJob& job, const StoredToolCall& call);
  void check_skills_seen(const FakeJob& job, const ModelQuestion& question,
                         const ModelRequest& request);
  std::set<std::string> check_told_in(const FakeJob& job, const ModelRequest& request);
  void check_nothing_removed_seen(const FakeJob& job, const ModelRequest& request);
  void check_what_is_left_seen(const FakeJob& job, const ModelRequest& request);
  void check_same_request(const FakeJob& job, const ModelQuestion& question,
                          const ModelRequest& request);
  void check_counts_durable(const FakeJob& job, const ModelQuestion& question,
                            const Process& process);
  void check_told(const FakeJob& job);
  void check_refusals(const FakeJob& job);
  void check_paid();
  bool excused(int shard) const;
  const FakeJob* row_of(int job) const;
  const FakeJob* row_of(const ModelQuestion& question) const;
  /// The job that asked for it; itself, if none did.
  const FakeJob& root_of(const FakeJob& job) const;
  /// A job and its sub-agents.
  std::vector<const FakeJob*> family_of(const FakeJob& root) const;
  void check_family(const FakeJob& job);
  void check_tenant(const std::string& text, const std::string& tenant, const char* where);
  void mark_outcome(const FakeJob& job);

  World& world_;
  const Scenario& scenario_;
  const Plan& plan_;
  const Database* database_ = nullptr;
  const Group* group_ = nullptr;
  bool set_back_ = false;
  std::set<IncarnationId> incarnations_;  ///< all there ever were
  bool receipts_deleted_ = false;
  std::map<LedgerJobId, std::size_t> sizes_;     ///< rows of a job when it was last looked at
  std::map<LedgerJobId, std::string> terminal_;  ///< the result's bytes, once there are any
  std::map<ResultId, int> published_;
  std::set<ResultId> refused_;  ///< by Kafka, for what they are
  std::map<int, int> paid_;     ///< by job of the plan
  std::map<LedgerJobId, Bill> bills_;
  std::map<CallKey, Effect> effects_;
  std::map<CallKey, int> summaries_sent_;  ///< by where they are on record
  std::map<LedgerJobId, int> full_;        ///< how often the model had no room for it
  std::set<CallKey> given_up_;
  std::map<CallKey, std::string> sent_;  ///< to the model, as it was first
  std::set<LedgerJobId> removed_;        ///< by retention, as far as looked at
  std::set<LedgerJobId> overdue_;        ///< likewise, of those that waited too long
  std::map<LedgerJobId, std::pair<IncarnationId, JobRequest>> told_;  ///< of a job that it has
  std::set<LedgerJobId> cancelled_;  ///< its worker was told, before it wrote any end
  std::set<std::pair<LedgerJobId, IncarnationId>> ends_;  ///< who has sent a job's end
  std::map<std::string, CallKey> keys_;
  std::map<int, CallKey> reads_;       ///< runs of the tool whose results are shared
  std::map<std::string, int> misses_;  ///< told calls of it that ran, by tenant
  /// The newest count of a job, by who heard it.
  std::map<std::pair<LedgerJobId, IncarnationId>, ExactCountRow> counts_;
  std::string violation_;
};

}  // namespace ba::sim
