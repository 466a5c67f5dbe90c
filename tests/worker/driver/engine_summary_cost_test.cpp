// SPDX-License-Identifier: Apache-2.0
// What summaries may cost: their jobs, the hour of all workers, and by which prices.
#include <gmock/gmock.h>

#include "tests/worker/driver/engine_context_fixture.hpp"

namespace ba::driver {
namespace {

using testing::IsEmpty;
using testing::Not;

TEST_F(EngineContextTest, NoneIsAskedForThatWouldCostTooMuch) {
  ports_.compression.summary.cost_micro_usd_per_hour = 1;
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(summaries_asked, 0);
  EXPECT_THAT(states("a"), IsEmpty());
}

TEST_F(EngineContextTest, NoneIsAskedForThatWouldReachALimitOfItsJob) {
  ports_.compression.summary.micro_usd_per_1000_tokens = 100'000'000;
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Completed);
  EXPECT_EQ(summaries_asked, 0);
}

TEST_F(EngineContextTest, WhatTheAgentsModelWritesIsHeldAgainstTheJobsLimitAtThatModelsPrice) {
  ports_.compression.summary.model.clear();
  ports_.compression.summary.micro_usd_per_1000_tokens = 0;
  ports_.prices = &prices_;
  ASSERT_NO_FATAL_FAILURE(run_for("a", 20'000));
  EXPECT_GE(summaries_asked, 1);
  prices_.micro_usd_per_token = 20;
  ASSERT_NO_FATAL_FAILURE(run_for("b", 20'000));
  EXPECT_EQ(summaries_asked, 0);
}

TEST_F(EngineContextTest, WhereItsPriceIsKnownTheConfiguredEstimateDoesNotCount) {
  ports_.compression.summary.model.clear();
  ports_.compression.summary.micro_usd_per_1000_tokens = 100'000'000;
  ASSERT_NO_FATAL_FAILURE(run_for("a", 20'000));
  EXPECT_EQ(summaries_asked, 0) << "no price is known";
  ports_.prices = &prices_;
  ASSERT_NO_FATAL_FAILURE(run_for("b", 20'000));
  EXPECT_GE(summaries_asked, 1);
}

TEST_F(EngineContextTest, AModelThatIsNamedForThemCostsItsOwnPriceOfTheJobsLimit) {
  ports_.compression.summary.micro_usd_per_1000_tokens = 0;
  ports_.prices = &prices_;
  ASSERT_NO_FATAL_FAILURE(run_for("a", 20'000));
  EXPECT_EQ(summaries_asked, 1);
  prices_.micro_usd_per_token = 20;
  ASSERT_NO_FATAL_FAILURE(run_for("b", 20'000));
  EXPECT_EQ(summaries_asked, 0);
}

/// Its work alone costs 150 micro-dollars.
TEST_F(EngineContextTest, NoJobEndsAtItsCostLimitForASummaryOfIt) {
  ports_.compression.summary.model.clear();
  ports_.compression.summary.micro_usd_per_1000_tokens = 0;
  ports_.prices = &prices_;
  model_.prices = InputPrices{1'000'000, 1'000'000, 1'000'000};
  model_.script = [this](const ModelRequest& request) {
    model_.input_tokens = request.system.starts_with("You summarize") ? 1'000 : 10;
    return reply_to(request);
  };
  ASSERT_NO_FATAL_FAILURE(run_for("a", 1'000));
  EXPECT_EQ(summaries_asked, 0);
  EXPECT_EQ(job("a").finished->result.totals.cost_micro_usd, 150);
  ASSERT_NO_FATAL_FAILURE(run_for("b", 1'000'000));
  EXPECT_GE(summaries_asked, 1);
  EXPECT_GE(job("b").finished->result.totals.cost_micro_usd, 1'150);
}

/// To the micro-dollar: the most that the summary may take, and the reply beside it.
TEST_F(EngineContextTest, ThereIsRoomForTheReplyThatASummaryIsWrittenBeside) {
  ports_.compression.summary.model.clear();
  ports_.prices = &prices_;
  ASSERT_NO_FATAL_FAILURE(run_for("a", 1));
  EXPECT_EQ(summaries_asked, 0);
  ASSERT_THAT(prices_.costs, Not(IsEmpty()));
  ASSERT_EQ(prices_.costs.size() % 2, 0U) << "of a summary and of a reply each time";
  std::int64_t least = INT64_MAX;
  for (std::size_t i = 0; i < prices_.costs.size(); i += 2) {
    EXPECT_GT(prices_.costs[i + 1], EvenPrices::kReplyTokens) << "what it reads, and writes";
    least = std::min(least, prices_.costs[i] + prices_.costs[i + 1]);
  }
  ASSERT_NO_FATAL_FAILURE(run_for("b", least));
  EXPECT_EQ(summaries_asked, 0);
  ASSERT_NO_FATAL_FAILURE(run_for("c", least + 1));
  EXPECT_GE(summaries_asked, 1);
}

TEST_F(EngineContextTest, WhatTheAgentsModelWritesIsHeldAgainstTheHourAtThatModelsPrice) {
  SummaryRules& summary = ports_.compression.summary;
  summary.model.clear();
  summary.micro_usd_per_1000_tokens = 0;
  summary.cost_micro_usd_per_hour = 20'000;
  ports_.prices = &prices_;
  prices_.micro_usd_per_token = 50;
  ASSERT_NO_FATAL_FAILURE(run_for("a", 5'000'000));
  EXPECT_EQ(summaries_asked, 0);
  prices_.micro_usd_per_token = 1;
  ASSERT_NO_FATAL_FAILURE(run_for("b", 5'000'000));
  EXPECT_GE(summaries_asked, 1);
}

TEST_F(EngineContextTest, AModelThatIsNamedForThemIsHeldAgainstTheHourAsConfigured) {
  SummaryRules& summary = ports_.compression.summary;
  summary.micro_usd_per_1000_tokens = 1'000;
  summary.cost_micro_usd_per_hour = 20'000;
  ports_.prices = &prices_;
  prices_.micro_usd_per_token = 50;
  ASSERT_NO_FATAL_FAILURE(run_for("a", 5'000'000));
  EXPECT_EQ(summaries_asked, 1);
  summary.micro_usd_per_1000_tokens = 50'000;
  ASSERT_NO_FATAL_FAILURE(run_for("b", 5'000'000));
  EXPECT_EQ(summaries_asked, 0);
}

TEST_F(EngineContextTest, ASummaryIsBilledByTheReadingOfItsJob) {
  RunProfile profile;
  profile.price_reading = 7;
  run_as(profile);
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  ASSERT_EQ(summaries_asked, 1);
  EXPECT_EQ(summary_price_reading, 7);
}

}  // namespace
}  // namespace ba::driver
