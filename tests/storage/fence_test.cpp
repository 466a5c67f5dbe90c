// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/fence.hpp"

#include <thread>

#include "tests/storage/storage_fixture.hpp"

namespace ba::storage {
namespace {

class Fence : public StorageTest {
 protected:
  /// Whether some backend of the database waits for a lock on a row of incarnations.
  bool reaper_waits() {
    return schema().query(
               "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
               "AND query LIKE '%FOR UPDATE%' AND query LIKE '%incarnations%' "
               "AND application_name = '" +
               rig().schema().access().application_name + "'") != "0";
  }
};

TEST_F(Fence, TheReaperWaitsForARunningTransactionOfTheDead) {
  const auto self = enter("dead");
  const auto job = running_job(self);
  const auto reaper = enter("reaper");

  // A transaction that proved its fence in time and is still writing when the lease runs out.
  const Stop stop;
  SessionOptions options;
  options.access = schema().access();
  Session writer(options, stop);
  std::optional<Result<int>> died;
  const auto written = writer.run([&](Transaction& tx) -> Result<int> {
    if (auto alive = fence(tx, self); !alive) return alive.error();
    rig_->expire(self);
    membership().reap(reaper, [&](Result<int> count) { died = count; });
    while (!reaper_waits()) std::this_thread::yield();
    EXPECT_FALSE(died);
    tx.execute("UPDATE jobs SET user_id = 'written by the dying'");
    return 1;
  });
  ASSERT_TRUE(written) << written.error().message;
  ASSERT_TRUE(rig_->run_until([&] { return died.has_value(); }));
  EXPECT_EQ(**died, 1);
  EXPECT_EQ(schema().query("SELECT state || ' ' || user_id FROM jobs WHERE id = " +
                           std::to_string(job.id.value)),
            "ready written by the dying");
}

TEST_F(Fence, RenewingDoesNotWaitForRunningTransactions) {
  const auto self = enter();
  const Stop stop;
  SessionOptions options;
  options.access = schema().access();
  Session writer(options, stop);
  const auto written = writer.run([&](Transaction& tx) -> Result<int> {
    if (auto alive = fence(tx, self); !alive) return alive.error();
    EXPECT_TRUE(renew(self));
    return 1;
  });
  EXPECT_TRUE(written);
}

TEST_F(Fence, EveryClaimOfAJobIsAnAttemptRowWithItsEnding) {
  const auto one = enter("one");
  const auto job = running_job(one);
  ASSERT_TRUE(hand_back(one, {job.id}));
  ASSERT_TRUE(claim(one, 1));
  rig_->expire(one);
  const auto two = enter("two");
  ASSERT_TRUE(reap(two));
  const auto again = claim(two, 1);
  ASSERT_TRUE(append(two, finished(again->jobs.at(0))));
  EXPECT_EQ(schema().query("SELECT string_agg(claim || ':' || attempt || ' ' || ending, ', ' "
                           "ORDER BY claim) FROM attempts"),
            "1:1 handed_back, 2:1 crashed, 3:2 finished");
}

}  // namespace
}  // namespace ba::storage
