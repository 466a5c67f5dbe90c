// SPDX-License-Identifier: Apache-2.0
// Long conversations: what is made shorter, summaries that another model writes.
#include <gmock/gmock.h>

#include "tests/worker/driver/engine_context_fixture.hpp"

namespace ba::driver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

TEST_F(EngineContextTest, ASummaryTakesThePlaceOfTheExtractsOnceItIsDurable) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  ASSERT_EQ(job("a").finished->result.outcome, Outcome::Completed);
  EXPECT_EQ(summaries_asked, 1);
  EXPECT_EQ(summary_model, "small");
  EXPECT_THAT(states("a"), ElementsAre(SummaryState::Ready));
  EXPECT_THAT(asked_to_summarize,
              HasSubstr("User: Today is Thursday, 1970-01-01 (UTC).\n\nhow many?"));
  const SummaryRow& row = job("a").summaries.begin()->second.row;
  ASSERT_GT(summarized_requests(), 0);
  const auto first = std::ranges::find_if(sent, summarized) - sent.begin();
  EXPECT_EQ(first, row.after.step) << "from the reply after it on";
  EXPECT_GT(row.after.step, row.at.step - 1);
  EXPECT_THAT(sent.at(static_cast<std::size_t>(first)), testing::Contains(HasSubstr(summary_text)));
  EXPECT_EQ(job("a").finished->result.totals.usage.total(), tokens_of_rows("a"))
      << "it is in the bill";
  EXPECT_EQ(wasted("a"), 0);
}

TEST_F(EngineContextTest, WithoutAModelOfTheirOwnTheAgentsWritesThem) {
  ports_.compression.summary.model.clear();
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Completed);
  EXPECT_GE(summaries_asked, 1);
  EXPECT_EQ(summary_model, "two-step");
  EXPECT_EQ(summary_timeout, 60s) << "ten are for a small model";
  EXPECT_THAT(states("a"), testing::Each(SummaryState::Ready));
  EXPECT_GT(summarized_requests(), 0);
  EXPECT_EQ(job("a").finished->result.totals.usage.total(), tokens_of_rows("a"));
}

TEST_F(EngineContextTest, EachAgentsModelWritesItsOwn) {
  ports_.compression.summary.model.clear();
  RunProfile profile;
  profile.model = "two-step";
  profile.tools = registry_.specs({});
  profile.limits.steps_per_round_max = 60;
  RunProfile other = profile;
  other.name = "other";
  other.model = "three-step";
  agents_ = AgentDirectory({profile, other}, {{"two-step", kWindow}, {"three-step", kWindow}});
  std::map<std::string, std::set<std::string>> asked;  // models, by agent
  model_.script = [&](const ModelRequest& request) {
    if (request.system.starts_with("You summarize")) {
      const auto& text = std::get<HumanMessage>(*request.messages.at(0)).text;
      asked[text.find("for the other") == text.npos ? "default" : "other"].insert(request.model);
    }
    return reply_to(request);
  };
  auto life = begin();
  life->engine->take(records({"a"}));
  executor_.run_for(50ms);
  job_agent_ = "other";
  job_messages_ = {"how many for the other?"};
  life->engine->take(records({"b"}));
  ASSERT_TRUE(run_until_finished(2));
  for (const char* id : {"a", "b"}) {
    EXPECT_EQ(job(id).finished->result.outcome, Outcome::Completed) << id;
    EXPECT_EQ(job(id).finished->result.totals.usage.total(), tokens_of_rows(id)) << id;
  }
  EXPECT_THAT(asked["default"], ElementsAre("two-step"));
  EXPECT_THAT(asked["other"], ElementsAre("three-step"));
}

TEST_F(EngineContextTest, WhereTheAgentsModelFailsToWriteOneTheExtractsStay) {
  ports_.compression.summary.model.clear();
  model_.refuses = [](const ModelRequest& request) -> std::optional<Error> {
    if (!request.system.starts_with("You summarize")) return std::nullopt;
    return invalid_argument("it takes no such request");
  };
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Completed);
  EXPECT_THAT(states("a"), Not(IsEmpty()));
  EXPECT_THAT(states("a"), testing::Each(SummaryState::Failed));
  EXPECT_EQ(summarized_requests(), 0);
  EXPECT_EQ(wasted("a"), 0);
}

/// The crash comes after the summary's request and before a step tells of it, or after that step.
TEST_F(EngineContextTest, WhatTheAgentsModelWroteIsPaidOnceWhereverTheWorkerDies) {
  ports_.compression.summary.model.clear();
  std::map<std::string, int> asked;  // by what it is of
  model_.script = [&](const ModelRequest& request) {
    if (request.system.starts_with("You summarize"))
      ++asked[std::get<HumanMessage>(*request.messages.at(0)).text];
    return reply_to(request);
  };
  for (const bool durable : {false, true}) {
    const std::string id = durable ? "after" : "before";
    asked.clear();
    sent.clear();
    summaries_asked = 0;
    auto life = begin();
    life->engine->take(records({id}));
    ASSERT_TRUE(executor_.run_until(
        [&] { return durable ? summarized_requests() > 0 : summaries_asked == 1; }, 60s));
    life = taken_over_from(*life);
    ASSERT_TRUE(executor_.run_until([&] { return job(id).finished.has_value(); }, 60s));
    EXPECT_EQ(job(id).finished->result.outcome, Outcome::Completed) << id;
    for (const auto& [text, times] : asked) EXPECT_EQ(times, 1) << id;
    EXPECT_EQ(std::ranges::count(states(id), SummaryState::Lost), durable ? 0 : 1);
    EXPECT_EQ(job(id).finished->result.totals.usage.total(), tokens_of_rows(id)) << id;
    life->engine->drop();
  }
}

TEST_F(EngineContextTest, SummariesCanBeOff) {
  ports_.compression.summary.model = kNoSummaries;
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Completed);
  EXPECT_EQ(summaries_asked, 0);
  EXPECT_THAT(job("a").compressions, Not(IsEmpty()));
  EXPECT_EQ(job("a").compressions.begin()->second.mode, "extract");
}

TEST_F(EngineContextTest, CompressionsAndWhatIsLeftAreInTheLedger) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  ASSERT_THAT(job("a").compressions, Not(IsEmpty()));
  const CompressionRow& row = job("a").compressions.begin()->second;
  EXPECT_EQ(row.mode, "summarize");
  EXPECT_LT(row.tokens_after, row.tokens_before);
  EXPECT_THAT(row.reason, HasSubstr("window of 3000"));
  ASSERT_THAT(job("a").compressed_histories, SizeIs(1));
  const CompressedHistoryRow& left = job("a").compressed_histories.at(0);
  EXPECT_THAT(left.kept_json, StartsWith("["));
  EXPECT_THAT(left.kept_json, HasSubstr("all was looked at"));
  EXPECT_THAT(left.kept_json, HasSubstr("\"a/0/" + std::to_string(looks + 1) + "\""))
      << "with the answer";
  EXPECT_LT(left.messages, static_cast<std::int64_t>(job("a").messages.size()));
}

TEST_F(EngineContextTest, WhatEachReplysInputWasEstimatedAtIsInTheLedger) {
  meter_.margin = 1'200'000;
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  ASSERT_THAT(job("a").compressions, Not(IsEmpty()));
  ASSERT_EQ(job("a").steps.size(), sent_tokens.size());
  auto tokens = sent_tokens.begin();
  for (const auto& [at, step] : job("a").steps)
    EXPECT_EQ(step.estimated_input_tokens, *tokens++ * 12 / 10) << "step " << at.second;
}

/// The second job asks twice, each time for longer than its window lasts.
TEST_F(EngineContextTest, AJobsDateIsToldHoweverShortItsHistoryBecomes) {
  ports_.compression.mode = CompressionMode::Truncate;
  ASSERT_NO_FATAL_FAILURE(run_in_talk("a", "how many?", 14));
  executor_.run_for(48h);
  sent.clear();
  sent_to_read.clear();
  looks = 14;
  job_messages_ = {"and now?", "and before?"};
  auto life = begin();
  life->engine->take(records({"b"}, "talk"));
  ASSERT_TRUE(run_until_finished(2));
  ASSERT_EQ(job("b").finished->result.outcome, Outcome::Completed);
  const auto& of_last_round = sent_to_read.back();
  EXPECT_THAT(of_last_round, Not(HasSubstr("and now?"))) << "its question has gone";
  for (const std::string& read : sent_to_read)
    EXPECT_THAT(read, HasSubstr("Today is Saturday, 1970-01-03 (UTC).\n\nand "));
}

TEST_F(EngineContextTest, ObservationsAreBriefByTheEstimateWhereNoUsageIsReported) {
  model_.input_tokens = 0;
  looks = 1;
  auto life = begin();
  life->engine->take(records({"roomy"}));
  ASSERT_TRUE(run_until_finished(1));
  job_messages_ = {std::string(4 * kWindow * 85 / 100, 'x')};  // four to a token
  life->engine->take(records({"crowded"}));
  ASSERT_TRUE(run_until_finished(2));
  EXPECT_EQ(observation("roomy"), look_at(OutputLevel::Standard));
  EXPECT_EQ(observation("crowded"), look_at(OutputLevel::Brief));
}

TEST_F(EngineContextTest, ASummaryIsAskedForWithTokensAndTimeOfItsOwn) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  ASSERT_EQ(summaries_asked, 1);
  EXPECT_EQ(summary_tokens_max, 500);
  EXPECT_EQ(summary_timeout, 10s);
  life->engine->drop();
  ports_.compression.summary.tokens_max = 120;
  ports_.compression.summary.timeout = 3s;
  life = begin();
  life->engine->take(records({"b"}));
  ASSERT_TRUE(run_until_finished(2));
  ASSERT_EQ(summaries_asked, 2);
  EXPECT_EQ(summary_tokens_max, 120);
  EXPECT_EQ(summary_timeout, 3s);
}

TEST_F(EngineContextTest, WhoTakesTheJobOverSendsTheSame) {
  auto undisturbed = begin();
  undisturbed->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  const auto expected = sent;
  undisturbed->engine->drop();
  // Killed at each of its calls in turn, the same job sends what it would have sent.
  for (std::size_t at = 1; at < expected.size(); ++at) {
    const std::string id = "b" + std::to_string(at);
    sent.clear();
    auto life = begin();
    life->engine->take(records({id}));
    ASSERT_TRUE(executor_.run_until([&] { return sent.size() == at + 1; }, 60s));
    life = taken_over_from(*life);
    ASSERT_TRUE(executor_.run_until([&] { return job(id).finished.has_value(); }, 60s));
    ASSERT_GE(sent.size(), at + 2);
    EXPECT_EQ(sent.at(at), sent.at(at + 1)) << at;
    life->engine->drop();
  }
}

TEST_F(EngineContextTest, TheReportHasItsCompressionsAlsoWhereNoReplyFollowsATakeOver) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until(
      [&] {
        const FakeJob* found = ledger_.find_job(TenantId("acme"), JobId("a"));
        return found != nullptr && !found->compressions.empty();
      },
      60s));
  life->engine->drop();
  ledger_.expire(life->id);
  const std::size_t steps = job("a").steps.size();
  ASSERT_TRUE(control("a", JobAction::Cancel));
  life = begin();
  ledger_.reap(life->id, [](auto) {});
  ASSERT_TRUE(run_until_finished(1));
  ASSERT_EQ(job("a").finished->result.outcome, Outcome::Cancelled);
  ASSERT_EQ(job("a").steps.size(), steps) << "no further reply";
  EXPECT_THAT(job("a").finished->metrics_json, HasSubstr(compressions_told("a")));
}

TEST_F(EngineContextTest, TheReportHasTheCompressionsOfAllItsWorkers) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return summarized_requests() > 0; }, 60s));
  life = taken_over_from(*life);
  ASSERT_TRUE(run_until_finished(1));
  ASSERT_THAT(job("a").compressions, Not(IsEmpty()));
  EXPECT_THAT(job("a").finished->metrics_json, HasSubstr(compressions_told("a")));
}

TEST_F(EngineContextTest, ASummaryIsPaidOnceWhateverHappensAfterIt) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return summarized_requests() > 0; }, 60s));
  life = taken_over_from(*life);
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(summaries_asked, 1);
  EXPECT_EQ(wasted("a"), 1) << "the call of the model that does the work";
  EXPECT_EQ(job("a").finished->result.totals.usage.total(), tokens_of_rows("a"));
}

TEST_F(EngineContextTest, OneThatWasBeingWrittenInACrashIsCountedAsWastedAndNotAskedForAgain) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return summaries_asked == 1; }, 60s));
  const int asked = model_.asked;
  life = taken_over_from(*life);
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(wasted("a"), 2) << "both calls that were under way";
  EXPECT_THAT(states("a"), testing::Contains(SummaryState::Lost));
  EXPECT_GT(model_.asked, asked);
  int stored = static_cast<int>(job("a").steps.size());
  for (const auto& [at, summary] : job("a").summaries) stored += !summary.row.model.empty();
  EXPECT_EQ(model_.asked, stored + 2) << "paid = stored + recorded as wasted";
}

TEST_F(EngineContextTest, WithoutASummaryTheExtractsStay) {
  summary_text = " ";
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  expect_extracts(SummaryState::Failed);
  EXPECT_EQ(wasted("a"), 0) << "it was paid all the same, and is in the bill";
}

TEST_F(EngineContextTest, WhereTheSummarysModelFailsTheExtractsStay) {
  model_.refuses = [](const ModelRequest& request) -> std::optional<Error> {
    if (request.model != "small") return std::nullopt;
    return invalid_argument("there is no such model");
  };
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  expect_extracts(SummaryState::Failed);
  EXPECT_EQ(wasted("a"), 0);
}

TEST_F(EngineContextTest, WhereTheSummarysTimeIsOverTheExtractsStay) {
  model_.hangs = [](const ModelRequest& request) { return request.model == "small"; };
  model_.delay = 5s;
  auto life = begin(10, 10min);
  life->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return summaries_asked == 1; }, 120s));
  executor_.run_for(9'999ms);
  EXPECT_EQ(model_.timed_out, 0);
  executor_.run_for(1ms);
  EXPECT_EQ(model_.timed_out, 1);
  EXPECT_FALSE(job("a").finished) << "its job goes on meanwhile, and afterwards";
  ASSERT_TRUE(executor_.run_until([&] { return finished() == 1; }, 120s));
  expect_extracts(SummaryState::Lost);
  EXPECT_EQ(wasted("a"), 1) << "it may have been paid";
}

TEST_F(EngineContextTest, AnotherJobOfTheConversationUsesASummaryAgain) {
  ports_.summaries = nullptr;  // as in another process
  ASSERT_NO_FATAL_FAILURE(talk_until_there_is_a_summary());
  ASSERT_NO_FATAL_FAILURE(run_in_talk("c", "and now?", 2));
  expect_used_again("c");
}

TEST_F(EngineContextTest, AProcessAsksNobodyForASummaryThatItKnows) {
  ASSERT_NO_FATAL_FAILURE(talk_until_there_is_a_summary());
  ledger_.fail_next(LedgerCall::BeginSummary, ledger_is_down());
  ASSERT_NO_FATAL_FAILURE(run_in_talk("c", "and now?", 2));
  expect_used_again("c");
}

TEST_F(EngineContextTest, ASummaryIsUsedAgainForSoManyHours) {
  ASSERT_NO_FATAL_FAILURE(talk_until_there_is_a_summary());
  executor_.run_for(23h);
  ASSERT_NO_FATAL_FAILURE(run_in_talk("c", "and now?", 2));
  expect_used_again("c");
}

TEST_F(EngineContextTest, ASummaryIsWrittenAnewAfterThatManyHours) {
  ASSERT_NO_FATAL_FAILURE(talk_until_there_is_a_summary());
  executor_.run_for(24h);
  ASSERT_NO_FATAL_FAILURE(run_in_talk("c", "and now?", 2));
  expect_written_anew("c");
}

/// However often it is used: its age is that of what was paid.
TEST_F(EngineContextTest, ASummaryThatIsUsedAgainBecomesNoYounger) {
  ASSERT_NO_FATAL_FAILURE(talk_until_there_is_a_summary());
  executor_.run_for(23h);
  ASSERT_NO_FATAL_FAILURE(run_in_talk("c", "and now?", 2));
  expect_used_again("c");
  executor_.run_for(1h);
  ASSERT_NO_FATAL_FAILURE(run_in_talk("d", "and then?", 2));
  expect_written_anew("d");
}

TEST(KnownSummaries, KeepWhatWasPaidForThemBesideTheirText) {
  SummaryRow row;
  row.text = "said";
  row.usage.input_tokens = 1;
  row.usage.cache_read_tokens = 2;
  row.usage.cache_write_tokens = 3;
  row.usage.output_tokens = 4;
  row.usage.thinking_tokens = 5;
  for (const auto cost : {std::optional<std::int64_t>(6), std::optional<std::int64_t>()}) {
    row.cost_micro_usd = cost;
    const CacheHit known = known_summary(row);
    EXPECT_EQ(known.data, "said");
    EXPECT_EQ(known.note, "") << "that is for what a tool says";
    EXPECT_EQ(known.paid, (PaidReply{row.usage, cost}));
  }
}

TEST(KnownSummaries, AreAThousandOfAProcess) {
  LocalResults known(kKnownSummaries);
  const auto key = [](int nth) {
    SummaryRow row;
    row.content_hash = std::to_string(nth);
    return summary_key(LedgerConversationId(1), row);
  };
  const SteadyTime now(1h);
  for (int nth = 0; nth < 1'001; ++nth) known.put(key(nth), {"said", {}}, now + 24h, now);
  EXPECT_EQ(known.size(), 1'000U);
  EXPECT_EQ(known.find(key(0), now), nullptr) << "the oldest is gone";
  EXPECT_NE(known.find(key(1), now), nullptr);
  EXPECT_NE(known.find(key(1'000), now), nullptr);
}

TEST_F(EngineContextTest, ADrainLosesNoSummaryUncounted) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return summaries_asked == 1; }, 60s));
  life->engine->drain([] {});
  executor_.run_for(10s);
  life->engine->drop();
  auto next = begin();
  ledger_.leave(life->id, [](auto) {});
  ASSERT_TRUE(run_until_finished(1));
  int stored = static_cast<int>(job("a").steps.size());
  for (const auto& [at, summary] : job("a").summaries) stored += !summary.row.model.empty();
  EXPECT_EQ(model_.asked, stored + wasted("a"));
}

TEST_F(EngineContextTest, ACancelledJobCountsTheSummaryThatWasBeingWritten) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return summaries_asked == 1; }, 60s));
  ASSERT_TRUE(control("a", JobAction::Cancel));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Cancelled);
  int stored = static_cast<int>(job("a").steps.size());
  for (const auto& [at, summary] : job("a").summaries) stored += !summary.row.model.empty();
  EXPECT_EQ(model_.asked, stored + wasted("a"));
}

/// The model has refused the summary's only try, which cost nothing; the next comes later.
TEST_F(EngineContextTest, ASummaryBetweenTwoTriesIsNotLostWhereTheDatabaseRefusesAReply) {
  model_.rests = [](const ModelRequest& request) { return request.model == "small"; };
  looks = 30;  // so that the job isn't at its end
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return summaries_asked == 1; }, 60s));
  executor_.run_for(150ms);
  Error refused;
  refused.code = ErrorCode::InvalidArgument;
  ledger_.fail_next(LedgerCall::Append, refused);
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Failed);
  EXPECT_EQ(summaries_asked, 1);
  EXPECT_THAT(states("a"), ElementsAre(SummaryState::Failed));
  EXPECT_EQ(wasted("a"), 1) << "the reply that was refused";
  EXPECT_EQ(model_.asked - 1, static_cast<int>(job("a").steps.size()) + wasted("a"));
}

/// A lost try lets a paused job go back between two tries. What it paid is made durable first,
/// which the ledger refuses until the job is cancelled.
TEST_F(EngineContextTest, WhatIsGivenBackIsInTheEndOfAJobThatIsCancelledMeanwhile) {
  model_.hangs = [this](const ModelRequest& request) {
    return request.model != "small" && observer_.compressions > 0;
  };
  auto life = begin(10, 10min);
  life->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return summaries_asked == 1; }, 60s));
  executor_.run_for(1s);
  EXPECT_THAT(states("a"), ElementsAre(SummaryState::Writing)) << "no step has told of it yet";
  ASSERT_TRUE(control("a", JobAction::Pause));
  const auto& lost = job("a").wasted_model_calls;
  ASSERT_TRUE(executor_.run_until([&] { return !lost.empty(); }, 120s)) << "the try is durable";
  for (int i = 0; i < 5; ++i) ledger_.fail_next(LedgerCall::Append, ledger_is_down());
  executor_.run_for(100ms);
  EXPECT_THAT(states("a"), ElementsAre(SummaryState::Writing)) << "the job is going back";
  ASSERT_TRUE(control("a", JobAction::Cancel));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Cancelled);
  EXPECT_THAT(states("a"), ElementsAre(SummaryState::Ready));
  EXPECT_EQ(job("a").finished->result.totals.usage.total(), tokens_of_rows("a"));
}

}  // namespace
}  // namespace ba::driver
