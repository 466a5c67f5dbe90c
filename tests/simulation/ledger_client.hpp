#pragma once
// SPDX-License-Identifier: Apache-2.0
// A process's connection to the simulated PostgreSQL: the three ports of the ledger. The double of
// storage/ on the worker's side: it repeats nothing and says Timeout when no answer came.

#include "pipeline/core/ledger/retention.hpp"
#include "tests/simulation/database.hpp"

namespace ba::sim {

class LedgerClient final : public Membership, public Ledger, public Outbox, public Retention {
 public:
  LedgerClient(World& world, Process& process, Database& database, const LinkFaults& link,
               Mutant mutant)
      : world_(world), process_(process), database_(database), link_(link), mutant_(mutant) {}

  void enter(Identity identity, Milliseconds lease, Completion<IncarnationId> done) override;
  void renew(IncarnationId incarnation, Milliseconds lease, Completion<void> done) override;
  void reap(IncarnationId self, Completion<int> done) override;
  void leave(IncarnationId incarnation, Completion<void> done) override;

  void intake(IncarnationId self, IntakeBatch batch, ClaimRequest claim,
              Completion<ClaimAnswer> done) override;
  void claim(IncarnationId self, ClaimRequest claim, Completion<ClaimAnswer> done) override;
  void intake_offsets(IncarnationId self, std::vector<PartitionOffset> partitions,
                      Completion<std::vector<PartitionOffset>> done) override;
  void reset_intake(IncarnationId self, PartitionOffset partition,
                    Completion<PartitionOffset> done) override;
  void load(IncarnationId self, LedgerJobId job, LedgerConversationId conversation,
            Completion<StoredJob> done) override;
  void load_remains(IncarnationId self, LedgerJobId job, LedgerConversationId conversation,
                    std::int64_t excerpt_bytes_max, Completion<JobRemains> done) override;
  void append(IncarnationId self, SharedDelta delta, Completion<void> done) override;
  void begin_sub_agent(IncarnationId self, SubAgentOrder order,
                       Completion<SubAgentStanding> done) override;
  void begin_summary(IncarnationId self, SummaryOrder order,
                     Completion<SummaryStanding> done) override;
  void hand_back(IncarnationId self, std::vector<ReturnedJob> jobs, Completion<void> done) override;

  void own_shards(IncarnationId self, Completion<std::vector<ShardState>> done) override;
  void pending_shards(IncarnationId self, Completion<std::vector<int>> done) override;
  void next_batch(IncarnationId self, BatchRequest request, Completion<OutboxBatch> done) override;
  void withdraw_batch(IncarnationId self, int shard, std::int64_t version,
                      Completion<void> done) override;
  void replace_record(IncarnationId self, int shard, RecordReplacement replacement,
                      Completion<void> done) override;
  void stop_shard(IncarnationId self, ShardState known, std::string reason,
                  Completion<void> done) override;

  void remove_batch(IncarnationId self, RetentionRules rules,
                    Completion<RemovedRows> done) override;

 private:
  template <typename T>
  void call(Database::Kind kind, Database::Work<T> work, Completion<T> done);
  Completion<ClaimAnswer> telling(IncarnationId self, Completion<ClaimAnswer> done);
  std::shared_ptr<FakeSession> session_for(const Database::Kind& kind);
  void append_rows(IncarnationId self, SharedDelta delta, Completion<void> done);

  World& world_;
  Process& process_;
  Database& database_;
  const LinkFaults& link_;
  Mutant mutant_;
  /// The product's own, as the adapter to PostgreSQL has it. Answers under way hold it too.
  std::shared_ptr<storage::KnownHistory> history_ = std::make_shared<storage::KnownHistory>();
  int calls_ = 0;
  std::shared_ptr<std::set<int>> busy_slots_ = std::make_shared<std::set<int>>();
};

}  // namespace ba::sim
