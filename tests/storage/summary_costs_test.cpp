// SPDX-License-Identifier: Apache-2.0
// What summaries cost in an hour; what needs no clock to pass is in the ledger's contract.
#include "tests/storage/storage_fixture.hpp"

namespace ba {
namespace {

using testing::HasSubstr;

class SummaryCosts : public StorageTest {
 protected:
  /// Why there is none of this content; empty: it was begun.
  std::string refused(IncarnationId self, const ClaimedJob& job, int step) {
    SummaryOrder order;
    order.job = job.id;
    order.conversation = job.conversation;
    order.at = {0, step, 0};
    order.round_id = "job-1/0";
    order.content_hash = std::to_string(step);
    order.estimate_micro_usd = 600;
    order.hour_micro_usd_max = 1'000;
    const auto standing = await<SummaryStanding>(
        [&](auto done) { ledger().begin_summary(self, order, std::move(done)); });
    if (!standing) return standing.error().message;
    const auto* refused = std::get_if<summary::Refused>(&*standing);
    return refused ? refused->why : "";
  }

  void let_pass(const std::string& interval) {
    schema().execute("UPDATE summaries SET began_at = began_at - interval '" + interval + "'");
  }
};

TEST_F(SummaryCosts, WhatWasSpentMoreThanAnHourAgoCountsNoMore) {
  const auto self = enter();
  const auto job = running_job(self);
  EXPECT_EQ(refused(self, job, 1), "");
  EXPECT_THAT(refused(self, job, 2), HasSubstr("600 micro-dollars were spent"));
  let_pass("59 minutes");
  EXPECT_THAT(refused(self, job, 2), HasSubstr("600 micro-dollars were spent"));
  let_pass("1 minute");
  EXPECT_EQ(refused(self, job, 2), "");
}

}  // namespace
}  // namespace ba
