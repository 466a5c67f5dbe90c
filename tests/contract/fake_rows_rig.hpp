#pragma once
// SPDX-License-Identifier: Apache-2.0
// A rig whose ledger keeps its rows in a FakeLedger, by whatever way the calls get there.

#include "tests/contract/ledger_contract.hpp"
#include "tests/support/fake_ledger.hpp"

namespace ba {

class FakeRowsRig : public LedgerRig {
 public:
  void expire(IncarnationId incarnation) override { rows().expire(incarnation); }
  void lose_newest(IncarnationId incarnation) override { rows().lose_newest(incarnation); }
  void lose(IncarnationId incarnation) override { rows().lose(incarnation); }
  Result<JobStanding> control(const std::string& job_id, JobAction action) override {
    return rows().control(TenantId("acme"), JobId(job_id), action);
  }
  Result<UnresolvedCall> resolve(const std::string& job_id, const CallAnswer& answer) override {
    return rows().resolve(TenantId("acme"), JobId(job_id), answer);
  }
  Result<storage::CopiedRows> copy_job(const storage::JobCopy& wanted) override {
    return rows().copy_job(wanted);
  }
  void age(Milliseconds by) override { rows().age(by); }
  void another_removes(bool removes) override { rows().another_removes(removes); }
  std::vector<std::string> job_ids() override;
  std::string dump() override;

 protected:
  virtual FakeLedger& rows() = 0;
};

}  // namespace ba
