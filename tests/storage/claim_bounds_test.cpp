// SPDX-License-Identifier: Apache-2.0
// What a claim costs where very much waits, in rows and index scans and not in time.
#include "tests/storage/backlog_fixture.hpp"

namespace ba::storage {
namespace {

class ClaimBounds : public BacklogTest {};

TEST_F(ClaimBounds, AClaimReadsNoMoreWhereMoreTenantsWait) {
  constexpr int kJobs = 10;
  fill(1, 1000, kJobs);
  const Cost few = cost_of(slots(8));
  const Cost many = cost_of(slots(256));
  EXPECT_EQ(few.jobs, 8u);
  EXPECT_EQ(many.jobs, 256u);
  EXPECT_LT(few.rows, 30 * (8 + 32));
  EXPECT_LT(many.rows, 30 * (256 + 32));
  fill(1001, 3000, kJobs);
  EXPECT_LE(cost_of(slots(8)).rows, few.rows * 11 / 10);
  EXPECT_LE(cost_of(slots(256)).rows, many.rows * 11 / 10);
}

TEST_F(ClaimBounds, AClaimReadsNoMoreWhereATenantHasMoreJobs) {
  fill(1, 1, 500);
  const Cost few = cost_of(slots(8));
  EXPECT_EQ(few.jobs, 8u);
  EXPECT_EQ(cost_of(slots(256)).jobs, 256u);
  fill(2, 1, 20'000);
  const Cost more = cost_of(slots(8));
  EXPECT_EQ(more.jobs, 8u);
  EXPECT_LE(more.rows, few.rows * 3 / 2);
}

/// Sessions plan once, which may be when there is nothing.
TEST_F(ClaimBounds, APlanThatWasMadeForAnEmptyLedgerServesAFullOne) {
  schema().execute("ANALYZE jobs; ANALYZE conversations");
  Session session(hot_path(), stop_);
  EXPECT_EQ(cost_of(session, slots(8)).jobs, 0u);
  analyzed_ = false;
  fill(1, 200, 50);
  schema().execute(
      "UPDATE jobs SET state = 'finished', incarnation = 1, outcome = 'completed', result = '', "
      "finished_at = now() WHERE id % 2 = 0");
  schema().execute(
      "UPDATE jobs SET state = 'running', incarnation = 1, attempt = 1, first_claimed_at = now() "
      "WHERE id % 10 = 1");
  const Cost cost = cost_of(session, slots(8));
  EXPECT_EQ(cost.jobs, 8u);
  EXPECT_LT(cost.rows, 30 * (8 + 32));
}

TEST_F(ClaimBounds, AHeadIsFoundWithoutReadingWhatWaitsBehindIt) {
  fill_conversation("acme", "talk", 10);
  const Cost few = cost_of(slots(8));
  EXPECT_EQ(few.jobs, 1u);
  fill_conversation("acme", "other", 20'000);
  const Cost more = cost_of(slots(8));
  EXPECT_LE(more.jobs, 2u);
  EXPECT_LT(more.rows, few.rows + 10 * (32 + 32 + 8 + 256));
}

TEST_F(ClaimBounds, CountingIsBoundedByWhatMayBeCounted) {
  fill(1, 1000, 2);
  schema().execute("UPDATE jobs SET state = 'paused', idle_since = now()");
  ClaimRequest request;
  request.waiting_count_max = 100;
  request.claimable_count_max = 10;
  fill(2000, 1, 1);
  EXPECT_LT(cost_of(request).rows, 100 + 2 * 10 * 10 + 100);
}

}  // namespace
}  // namespace ba::storage
