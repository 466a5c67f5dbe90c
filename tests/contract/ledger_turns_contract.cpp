// SPDX-License-Identifier: Apache-2.0
// Whose turn it is where fewer slots are free than tenants wait: claims go on where the last one
// left off.
#include <map>

#include "tests/contract/ledger_contract.hpp"

namespace ba {

using testing::Each;
using testing::ElementsAre;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

namespace {

class LedgerTurnsContract : public LedgerContract {
 protected:
  /// Each tenant's jobs, one after the other; job ids are "<tenant><number>".
  static std::vector<JobSpec> jobs_of(const std::vector<std::string>& tenants, int jobs,
                                      Lane lane = Lane::Normal) {
    std::vector<JobSpec> specs;
    for (const std::string& tenant : tenants)
      for (int i = 0; i < jobs; ++i)
        specs.push_back({.job_id = tenant + std::to_string(i), .tenant = tenant, .lane = lane});
    return specs;
  }

  /// One job goes through; its tenant.
  std::string served(IncarnationId self) {
    const auto begun = next(self, 1);
    EXPECT_THAT(begun, SizeIs(1));
    if (begun.size() != 1) return "";
    end(self, begun[0]);
    return begun[0].payload.substr(0, begun[0].payload.find('/'));
  }

  std::vector<ClaimedJob> next(IncarnationId self, int jobs_max) {
    ClaimRequest request;
    request.jobs_max = jobs_max;
    request.places = places_;
    request.known = running_;
    const auto answer = claim(self, request);
    EXPECT_TRUE(answer) << answer.error().message;
    if (!answer) return {};
    places_ = answer->places;
    for (const ClaimedJob& job : answer->jobs) running_.push_back(job.id);
    return answer->jobs;
  }

  void end(IncarnationId self, const ClaimedJob& job) {
    const std::string name = job.payload.substr(job.payload.find('/') + 1);
    EXPECT_TRUE(append(self, round_opened(job)));
    EXPECT_TRUE(append(self, finished(job, name)));
    std::erase(running_, job.id);
  }

  static std::vector<std::string> tenants_of(const std::vector<ClaimedJob>& jobs) {
    std::vector<std::string> tenants;
    for (const ClaimedJob& job : jobs)
      tenants.push_back(job.payload.substr(0, job.payload.find('/')));
    return tenants;
  }

  LanePlaces places_;
  std::vector<LedgerJobId> running_;
};

}  // namespace

TEST_F(LedgerTurnsContract, OneSlotGoesRound) {
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of(jobs_of({"a", "b", "c", "d", "e"}, 3))));
  std::map<std::string, int> turns;
  for (int i = 0; i < 10; ++i) ++turns[served(self)];
  EXPECT_THAT(turns, SizeIs(5));
  EXPECT_THAT(turns, Each(Pair(testing::_, 2)));
}

TEST_F(LedgerTurnsContract, SlotsThatAreFewerThanTenantsGoRound) {
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of(jobs_of({"a", "b", "c", "d", "e"}, 3))));
  std::map<std::string, int> turns;
  for (int i = 0; i < 5; ++i)
    for (const ClaimedJob& job : next(self, 2)) {
      ++turns[tenants_of({job}).at(0)];
      end(self, job);
    }
  EXPECT_THAT(turns, Each(Pair(testing::_, 2)));
}

TEST_F(LedgerTurnsContract, ATenantWithoutARunningJobComesFirstWhereverTheRingIs) {
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of(jobs_of({"a", "b", "c"}, 3))));
  EXPECT_THAT(tenants_of(next(self, 4)), UnorderedElementsAre("a", "a", "b", "c"));
  ASSERT_TRUE(intake(self, batch_of(jobs_of({"aa"}, 3))));
  EXPECT_THAT(tenants_of(next(self, 1)), ElementsAre("aa"));
}

TEST_F(LedgerTurnsContract, OneThatIsPassedOverIsTheNextOnes) {
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of(jobs_of({"a", "b", "c"}, 3))));
  EXPECT_THAT(tenants_of(next(self, 2)), UnorderedElementsAre("a", "b"));
  EXPECT_EQ(places_.at(1).after.value, "b");
  ASSERT_TRUE(intake(self, batch_of(jobs_of({"bb"}, 1))));
  EXPECT_THAT(tenants_of(next(self, 1)), ElementsAre("bb"));
  EXPECT_THAT(tenants_of(next(self, 1)), ElementsAre("c"));
}

TEST_F(LedgerTurnsContract, LanesGoRoundForThemselves) {
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of(jobs_of({"a", "b", "c"}, 1, Lane::High))));
  ASSERT_TRUE(intake(self, batch_of(jobs_of({"x", "y"}, 1, Lane::Batch))));
  EXPECT_EQ(served(self), "a");
  EXPECT_EQ(places_.at(0).after.value, "a");
  EXPECT_EQ(places_.at(2).after.value, "") << "it got nothing";
  EXPECT_EQ(served(self), "b");
  EXPECT_EQ(served(self), "c");
  EXPECT_EQ(served(self), "x");
  EXPECT_EQ(served(self), "y");
}

TEST_F(LedgerTurnsContract, AnywhereIsAGoodPlaceToBegin) {
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of(jobs_of({"a", "b"}, 2))));
  places_.at(1) = {TenantId("gone"), TenantId("gone"), LedgerJobId(1'000'000)};
  EXPECT_EQ(served(self), "a");
  EXPECT_EQ(served(self), "b");
  EXPECT_EQ(served(self), "a");
}

TEST_F(LedgerTurnsContract, AClaimOfNothingLeavesThePlacesAsTheyAre) {
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of(jobs_of({"a", "b"}, 1))));
  places_.at(1).after = TenantId("a");
  EXPECT_THAT(next(self, 0), SizeIs(0));
  EXPECT_EQ(places_.at(1).after, TenantId("a"));
}

}  // namespace ba
