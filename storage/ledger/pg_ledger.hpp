#pragma once
// SPDX-License-Identifier: Apache-2.0
// The ledger over PostgreSQL. Writes go to the committers (deltas in groups), reads have a
// connection of their own, so that resuming a job doesn't wait behind commits.

#include "pipeline/core/ledger/ledger.hpp"
#include "pipeline/core/port/executor.hpp"
#include "storage/ledger/group_commit.hpp"
#include "storage/postgres/session_pool.hpp"

namespace ba::storage {

class PgLedger final : public Ledger {
 public:
  PgLedger(GroupCommit& deltas, SessionPool& committers, SessionPool& readers, Executor& executor)
      : deltas_(deltas), committers_(committers), readers_(readers), executor_(executor) {}

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

 private:
  GroupCommit& deltas_;
  SessionPool& committers_;
  SessionPool& readers_;
  Executor& executor_;
};

}  // namespace ba::storage
