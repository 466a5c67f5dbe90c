// SPDX-License-Identifier: Apache-2.0
// Two tenants that use the same names for everything.
#include "tests/contract/ledger_contract.hpp"

namespace ba {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

namespace {

JobSpec in_talk(const std::string& tenant, const std::string& job_id = "a") {
  return {.job_id = job_id, .tenant = tenant, .conversation = "talk"};
}

const ClaimedJob& of_tenant(const ClaimAnswer& answer, const std::string& tenant) {
  for (const ClaimedJob& job : answer.jobs)
    if (job.payload.starts_with(tenant + "/")) return job;
  throw std::runtime_error("no job of " + tenant);
}

}  // namespace

TEST_F(LedgerContract, ConversationsOfOneNameOfTwoTenantsRunBesideEachOther) {
  const auto self = enter();
  const auto answer = intake(self, batch_of({in_talk("acme"), in_talk("globex")}), 10);
  EXPECT_THAT(names(answer), UnorderedElementsAre("acme/a", "globex/a"));
  EXPECT_NE(answer->jobs[0].conversation, answer->jobs[1].conversation);
}

TEST_F(LedgerContract, AHistoryHoldsNothingOfAConversationOfTheSameNameOfAnotherTenant) {
  const auto self = enter();
  const auto first = intake(self, batch_of({in_talk("acme")}), 1);
  ASSERT_THAT(first->jobs, SizeIs(1));
  ASSERT_TRUE(append(self, round_opened(first->jobs[0])));
  ASSERT_TRUE(append(self, finished(first->jobs[0], "a")));
  const auto next =
      intake(self, batch_of({in_talk("acme", "b"), in_talk("globex"), in_talk("globex", "b")}), 10);
  ASSERT_THAT(names(next), UnorderedElementsAre("acme/b", "globex/a"));
  EXPECT_THAT(load(of_tenant(*next, "acme"))->history, SizeIs(1));
  EXPECT_THAT(load(of_tenant(*next, "globex"))->history, IsEmpty());
  EXPECT_EQ(load_remains(of_tenant(*next, "globex"))->tenant, TenantId("globex"));
}

TEST_F(LedgerContract, ARequestAboutAJobLeavesThatOfTheSameNameOfAnotherTenantAlone) {
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of({in_talk("acme"), in_talk("globex")})));
  ASSERT_TRUE(rig_->control("a", JobAction::Pause));
  EXPECT_THAT(names(claim(self, 10)), ElementsAre("globex/a"));
}

TEST_F(LedgerContract, FinishingAJobLeavesThatOfTheSameNameOfAnotherTenantRunning) {
  const auto self = enter();
  const auto both = intake(self, batch_of({in_talk("acme"), in_talk("globex")}), 10);
  ASSERT_THAT(both->jobs, SizeIs(2));
  const ClaimedJob& acme = of_tenant(*both, "acme");
  ASSERT_TRUE(append(self, round_opened(acme)));
  ASSERT_TRUE(append(self, finished(acme, "acme-a")));
  EXPECT_THAT(names(claim(self, 10)), ElementsAre("globex/a"));
}

}  // namespace ba
