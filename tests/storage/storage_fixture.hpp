#pragma once
// SPDX-License-Identifier: Apache-2.0
// The contract suite's fixture over an open storage, with a look into its tables.

#include "storage/storage.hpp"
#include "tests/contract/ledger_contract.hpp"
#include "tests/support/loop_executor.hpp"
#include "tests/support/scratch_schema.hpp"

namespace ba::storage {

class StorageRig final : public LedgerRig {
 public:
  StorageRig();
  bool run_until(const std::function<bool()>& reached) override {
    return executor_.run_until(reached);
  }
  Membership& membership() override { return storage_->membership(); }
  Ledger& ledger() override { return storage_->ledger(); }
  Outbox& outbox() override { return storage_->outbox(); }
  Retention& retention() override { return storage_->retention(); }
  void expire(IncarnationId incarnation) override;
  void lose_newest(IncarnationId incarnation) override;
  void lose(IncarnationId incarnation) override;
  Result<JobStanding> control(const std::string& job_id, JobAction action) override;
  Result<UnresolvedCall> resolve(const std::string& job_id, const CallAnswer& answer) override;
  Result<CopiedRows> copy_job(const JobCopy& wanted) override {
    return ba::storage::copy_job(schema_.access(), wanted);
  }
  void age(Milliseconds by) override;
  void another_removes(bool removes) override;
  std::vector<std::string> job_ids() override;
  std::string dump() override;

  /// All of the storage's.
  void cut_connections();
  LoopExecutor& executor() { return executor_; }
  ScratchSchema& schema() { return schema_; }
  PgStorage& storage() { return *storage_; }

 private:
  ScratchSchema schema_;
  LoopExecutor executor_;
  std::unique_ptr<PgStorage> storage_;
};

/// A fixture of its own name for each topic derives from this.
class StorageTest : public LedgerContract {
 protected:
  StorageRig& rig() { return static_cast<StorageRig&>(*rig_); }
  ScratchSchema& schema() { return rig().schema(); }
};

}  // namespace ba::storage
