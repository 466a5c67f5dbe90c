// SPDX-License-Identifier: Apache-2.0
// Claims stay fair though each looks at a part of what waits.
#include <map>
#include <set>

#include "tests/storage/backlog_fixture.hpp"

namespace ba::storage {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

class ClaimTurns : public BacklogTest {};

TEST_F(ClaimTurns, AllThreeLanesAreLookedAtAndKeepTheirShares) {
  fill(1, 500, 2, Lane::High);
  fill(501, 500, 2, Lane::Normal);
  fill(1001, 500, 2, Lane::Batch);
  const Cost cost = cost_of(slots(100));
  EXPECT_EQ(cost.jobs, 100u);
  EXPECT_LT(cost.rows, 3 * 30 * (100 + 32));
  const auto self = enter();
  ASSERT_TRUE(claim(self, slots(100)));
  EXPECT_EQ(schema().query("SELECT string_agg(jobs::text, ' ' ORDER BY lane) FROM ("
                           "SELECT lane, count(*) AS jobs FROM jobs WHERE state = 'running'"
                           " GROUP BY lane) l"),
            "60 30 10");
}

TEST_F(ClaimTurns, EachTenantIsServedOnceBeforeAnyIsTwice) {
  constexpr int kTenants = 200;  // a claim of 8 looks at 40 of them
  fill(1, kTenants, 3);
  const auto self = enter();
  for (int claims = 0; claims < kTenants / 8; ++claims)
    ASSERT_THAT(served(self, 8), SizeIs(8)) << "claim " << claims;
  EXPECT_EQ(schema().query("SELECT count(DISTINCT tenant) FROM jobs WHERE state = 'finished'"),
            std::to_string(kTenants));
}

TEST_F(ClaimTurns, TenantsWhoseJobsAreAllHeldUpStopNobody) {
  constexpr int kTenants = 100;
  fill(1, kTenants, 2);
  schema().execute("UPDATE jobs SET state = 'paused', idle_since = now() WHERE job_id LIKE '1-%'");
  // Each one's second job now stands behind its first, which a person has paused.
  schema().execute(
      "UPDATE jobs SET conversation = (SELECT c.id FROM conversations c WHERE c.tenant = "
      "jobs.tenant AND c.conversation_id = 'talk-1') WHERE job_id LIKE '2-%'");
  fill(9999, 1, 1);  // the last one
  const auto self = enter();
  std::vector<std::string> got;
  int claims = 0;
  for (; got.empty() && claims < kTenants; ++claims) got = served(self, 1);
  EXPECT_THAT(got, ElementsAre("tenant-9999/1-1"));
  EXPECT_LE(claims, 1 + kTenants / (1 + 32));
}

TEST_F(ClaimTurns, AJobBehindAThousandThatAreHeldUpIsFound) {
  const auto self = enter();
  fill_conversation("acme", "busy", 5000);
  keep_running(self, "acme/busy/1");
  fill_conversation("acme", "free", 1);
  constexpr int kPiece = 8 + 256;
  std::vector<std::string> got;
  int claims = 0;
  for (; got.empty() && claims < 100; ++claims) {
    ClaimRequest request = slots(8);
    request.places = places_;
    EXPECT_LT(cost_of(request).rows, 10 * (32 + 32 + kPiece));
    got = served(self, 8);
  }
  EXPECT_THAT(got, ElementsAre("acme/free/1"));
  EXPECT_LE(claims, 1 + 5000 / kPiece);
}

TEST_F(ClaimTurns, TenantsThatAreHeldUpAreGoneThroughInTurn) {
  const auto self = enter();
  for (const char* tenant : {"a", "b"}) {
    fill_conversation(tenant, "busy", 600);
    fill_conversation(tenant, "free", 1);
  }
  schema().execute("UPDATE jobs SET state = 'paused', idle_since = now() WHERE job_id = 'busy/1'");
  std::vector<std::string> got;
  for (int claims = 0; got.size() < 2 && claims < 20; ++claims)
    for (const std::string& name : served(self, 8)) got.push_back(name);
  EXPECT_THAT(got, testing::UnorderedElementsAre("a/free/1", "b/free/1"));
}

/// What stands behind jobs that are held up comes neither before all others nor behind them.
TEST_F(ClaimTurns, ATenantThatIsGoneThroughIsServedInTurnWithOthers) {
  const auto self = enter();
  fill_conversation("m", "busy", 100);
  schema().execute("UPDATE jobs SET state = 'paused', idle_since = now() WHERE job_id = 'busy/1'");
  for (int talk = 0; talk < 10; ++talk) fill_conversation("m", "free" + std::to_string(talk), 1);
  for (const char* tenant : {"a", "z"})
    for (int talk = 0; talk < 10; ++talk) fill_conversation(tenant, "t" + std::to_string(talk), 1);
  std::map<std::string, int> of_tenants;
  for (int claims = 0; claims < 15; ++claims)
    for (const std::string& name : served(self, 1)) ++of_tenants[name.substr(0, 1)];
  EXPECT_THAT(of_tenants,
              ElementsAre(testing::Pair("a", 5), testing::Pair("m", 5), testing::Pair("z", 5)));
}

TEST_F(ClaimTurns, ALongQueueThatIsGoneThroughKeepsNoOtherFromThat) {
  const auto self = enter();
  for (const char* tenant : {"a", "b"}) {
    fill_conversation(tenant, "busy", 100);
    for (int talk = 0; talk < (tenant[0] == 'a' ? 300 : 10); ++talk)
      fill_conversation(tenant, "free" + std::to_string(talk), 1);
  }
  schema().execute("UPDATE jobs SET state = 'paused', idle_since = now() WHERE job_id = 'busy/1'");
  int of_b = 0;
  for (int claims = 0; claims < 40; ++claims)
    for (const std::string& name : served(self, 1)) of_b += name.starts_with("b/free");
  EXPECT_EQ(of_b, 10);
}

TEST_F(ClaimTurns, NothingOfAQueueIsPassedOverThatCouldRun) {
  const auto self = enter();
  fill_conversation("a", "busy", 100);
  schema().execute("UPDATE jobs SET state = 'paused', idle_since = now() WHERE job_id = 'busy/1'");
  for (int talk = 0; talk < 10; ++talk) fill_conversation("a", "free" + std::to_string(talk), 1);
  fill_conversation("a", "more", 1000);
  std::vector<std::string> got;
  for (int claims = 0; claims < 4; ++claims)
    for (const std::string& name : served(self, 4)) got.push_back(name);
  got.resize(std::min<std::size_t>(got.size(), 10));
  for (const std::string& name : got) EXPECT_THAT(name, testing::StartsWith("a/free"));
  EXPECT_THAT(std::set(got.begin(), got.end()), SizeIs(10));
}

}  // namespace
}  // namespace ba::storage
