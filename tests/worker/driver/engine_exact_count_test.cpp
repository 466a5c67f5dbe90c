// SPDX-License-Identifier: Apache-2.0
// Providers that are asked how many tokens they take a request for, before it is decided whether
// its history is made shorter.
#include <gmock/gmock.h>

#include "tests/worker/driver/engine_fixture.hpp"
#include "tests/worker/driver/looking_model.hpp"

namespace ba::driver {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// Answers after `delay` with `percent` of what we estimate, or not.
class FakeCounter final : public ExactCounter {
 public:
  FakeCounter(VirtualExecutor& executor, QuarterMeter& meter)
      : executor_(executor), meter_(meter) {}

  bool counts(const std::string&) const override { return on; }

  std::unique_ptr<CountCall> count(const ModelRequest& request,
                                   std::function<void(ExactCount)> done) override {
    const std::int64_t tokens = tokens_of(request, meter_) * percent / 100;
    asked.push_back(request.messages.size());
    ++under_way;
    ExactCount count{CountOutcome::Counted, tokens, {}};
    if (percent == 0) count = {CountOutcome::Failed, {}, "no answer"};
    return std::make_unique<Call>(*this, executor_.after(delay, [count, done] {
      const auto answer = done;
      answer(count);
    }));
  }

  bool on = true;
  std::int64_t percent = 100;  ///< 0: no answer
  Milliseconds delay{50};
  std::vector<std::size_t> asked;  ///< messages of each request
  int under_way = 0;

 private:
  struct Call final : CountCall {
    Call(FakeCounter& of, std::unique_ptr<Timer> t) : counter(of), timer(std::move(t)) {}
    ~Call() override { --counter.under_way; }
    FakeCounter& counter;
    std::unique_ptr<Timer> timer;
  };
  VirtualExecutor& executor_;
  QuarterMeter& meter_;
};

/// A model that looks `kLooks` times before it answers.
class EngineExactCountTest : public EngineTest {
 protected:
  static constexpr int kLooks = 24;
  static constexpr std::int64_t kWindow = 4'000;  // 80 % are 3,200
  static constexpr Milliseconds kSummaryTakes{200};

  EngineExactCountTest() {
    agents_ = looking_agent({}, registry_, kWindow);
    ports_.meter = &meter_;
    ports_.counter = &counter_;
    ports_.compression.summary.enabled = false;
    ports_.compression.refocus.every_steps = 0;
    model_.script = [this](const ModelRequest& request) { return reply_to(request); };
    model_.delay = 100ms;
  }

  std::optional<AiMessage> reply_to(const ModelRequest& request) {
    AiMessage reply;
    const bool summary = request.system.starts_with("You summarize");
    model_.delay = summary ? kSummaryTakes : 100ms;  // of this reply
    if (summary) {
      ++summaries_asked;
      reply.text = "all was looked at";
      return reply;
    }
    sent.push_back(tokens_of(request, meter_));
    summarized.push_back(std::ranges::any_of(request.messages, [](const Message* message) {
      const auto* system = std::get_if<SystemMessage>(message);
      return system && system->text.find("all was looked at") != std::string::npos;
    }));
    return look_or_answer(request, kLooks);
  }

  std::unique_ptr<Life> take(const std::string& id) {
    auto life = begin();
    life->engine->take(records({id}));
    return life;
  }

  void run(const std::string& id) {
    const int before = finished();
    const auto life = take(id);
    ASSERT_TRUE(run_until_finished(before + 1));
    life->engine->drop();
  }

  void expect_answered(const std::string& id) {
    const JobResult& result = job(id).finished->result;
    EXPECT_EQ(result.outcome, Outcome::Completed);
    EXPECT_EQ(result.totals.steps, kLooks + 1);
    EXPECT_EQ(result.totals.wasted_model_calls, 0);
  }

  QuarterMeter meter_;
  FakeCounter counter_{executor_, meter_};
  std::vector<std::int64_t> sent;  ///< tokens of each request that the model got
  std::vector<bool> summarized;    ///< whether there was a summary in it
  int summaries_asked = 0;
};

TEST_F(EngineExactCountTest, AProviderIsAskedOnlyNearTheThreshold) {
  ASSERT_NO_FATAL_FAILURE(run("a"));
  expect_answered("a");
  ASSERT_THAT(counter_.asked, Not(IsEmpty()));
  EXPECT_EQ(job("a").exact_counts.size(), counter_.asked.size());
  EXPECT_LT(counter_.asked.size(), static_cast<std::size_t>(kLooks) / 2);
  for (const auto& [at, row] : job("a").exact_counts) {
    EXPECT_GE(row.estimated, 3'200 * 9 / 10);
    EXPECT_LE(row.estimated, 3'200 * 11 / 10);
    EXPECT_EQ(row.tokens, row.estimated) << "exactly what is sent is counted";
  }
}

TEST_F(EngineExactCountTest, WhereItIsOffNobodyIsAsked) {
  counter_.on = false;
  ASSERT_NO_FATAL_FAILURE(run("a"));
  EXPECT_THAT(counter_.asked, IsEmpty());
  EXPECT_THAT(job("a").exact_counts, IsEmpty());
  ports_.counter = nullptr;
  ASSERT_NO_FATAL_FAILURE(run("b"));
  EXPECT_EQ(job("a").compressions.size(), job("b").compressions.size());
}

TEST_F(EngineExactCountTest, WhatTheProviderSaysDecides) {
  counter_.percent = 92;
  ASSERT_NO_FATAL_FAILURE(run("fewer"));
  EXPECT_GT(*std::ranges::max_element(sent), 3'200) << "more than estimated fits";
  expect_answered("fewer");
  sent.clear();
  counter_.percent = 130;
  ASSERT_NO_FATAL_FAILURE(run("more"));
  EXPECT_THAT(sent, Each(testing::Le(3'200 * 9 / 10)));
  expect_answered("more");
  EXPECT_THAT(job("more").compressions.begin()->second.reason, HasSubstr("as the provider counts"));
}

TEST_F(EngineExactCountTest, WithoutAnAnswerTheEstimateDecides) {
  counter_.on = false;
  ASSERT_NO_FATAL_FAILURE(run("e"));
  const auto expected = std::exchange(sent, {});
  counter_.on = true;
  counter_.percent = 0;
  ASSERT_NO_FATAL_FAILURE(run("a"));
  EXPECT_EQ(sent, expected);
  ASSERT_THAT(job("a").exact_counts, Not(IsEmpty()));
  for (const auto& [at, row] : job("a").exact_counts) EXPECT_FALSE(row.tokens);
  expect_answered("a");
}

/// Killed at each of its calls, and after each count, the same is sent and nobody is asked again.
TEST_F(EngineExactCountTest, WhoTakesTheJobOverDecidesTheSameAndAsksNobodyAgain) {
  counter_.percent = 92;
  ASSERT_NO_FATAL_FAILURE(run("all"));
  const auto expected = std::exchange(sent, {});
  const auto rows = job("all").exact_counts.size();
  ASSERT_GT(rows, 2U);
  for (std::size_t at = 1; at < expected.size(); ++at) {
    const std::string id = "b" + std::to_string(at);
    sent.clear();
    counter_.asked.clear();
    auto life = take(id);
    ASSERT_TRUE(executor_.run_until([&] { return sent.size() == at + 1; }, 60s));
    counter_.percent = 130;  // what it would be told now
    const auto written = job(id).exact_counts;
    const auto asked = counter_.asked.size();
    EXPECT_EQ(asked, written.size()) << "durable before the model is asked";
    life = taken_over_from(*life);
    ASSERT_TRUE(executor_.run_until([&] { return sent.size() == at + 2; }, 60s));
    EXPECT_EQ(sent.at(at + 1), sent.at(at)) << at;
    EXPECT_EQ(counter_.asked.size(), asked) << at;
    counter_.percent = 92;
    ASSERT_TRUE(executor_.run_until([&] { return job(id).finished.has_value(); }, 60s));
    EXPECT_EQ(counter_.asked.size(), rows) << at;
    EXPECT_EQ(job(id).exact_counts.size(), rows) << at;
    EXPECT_EQ(sent.size(), expected.size() + 1);
    life->engine->drop();
  }
}

/// What was counted and isn't written is asked for again: nothing was decided by it.
TEST_F(EngineExactCountTest, KilledBeforeACountIsDurableTheJobAsksForIt) {
  auto life = take("a");
  ASSERT_TRUE(executor_.run_until([&] { return counter_.under_way == 1; }, 60s));
  const auto before = sent.size();
  life = taken_over_from(*life);
  ASSERT_TRUE(executor_.run_until([&] { return counter_.asked.size() == 2; }, 60s));
  EXPECT_EQ(counter_.asked[0], counter_.asked[1]);
  EXPECT_EQ(sent.size(), before);
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Completed);
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 1)
      << "nobody knows that the dead worker had only a count under way";
}

/// The reply was counted without it, so whoever asks for that reply asks without it.
TEST_F(EngineExactCountTest, ASummaryThatEndsWhileAProviderCountsIsUsedFromTheNextReplyOn) {
  CompressionRules& rules = ports_.compression;
  rules.mode = CompressionMode::Summarize;
  rules.target_percent = 70;  // so near to the threshold that the next reply is counted, too
  rules.summary.enabled = true;
  rules.summary.model = "small";
  rules.summary.cost_micro_usd_per_hour = 1'000'000'000;
  counter_.percent = 92;
  counter_.delay = 2 * kSummaryTakes;
  auto life = take("a");
  ASSERT_TRUE(executor_.run_until([&] { return summaries_asked == 1; }, 60s));
  const auto before = sent.size();
  ASSERT_TRUE(executor_.run_until([&] { return counter_.under_way == 1; }, 400ms));
  executor_.run_for(kSummaryTakes);
  ASSERT_EQ(counter_.under_way, 1) << "the summary is written, the count is out";
  const auto& entry = job("a").summaries.begin()->second;
  EXPECT_EQ(entry.row.state, SummaryState::Writing) << "in the ledger";

  ASSERT_TRUE(executor_.run_until([&] { return sent.size() == before + 1; }, 60s));
  const int counted = job("a").exact_counts.rbegin()->first.step;
  EXPECT_EQ(entry.row.state, SummaryState::Ready);
  EXPECT_EQ(entry.row.after, (Position{0, counted, 0}));
  EXPECT_FALSE(summarized.at(before));
  const auto asked = counter_.asked.size();
  life = taken_over_from(*life);
  ASSERT_TRUE(executor_.run_until([&] { return sent.size() == before + 2; }, 60s));
  EXPECT_FALSE(summarized.at(before + 1));
  EXPECT_EQ(sent.at(before + 1), sent.at(before));
  EXPECT_EQ(counter_.asked.size(), asked);
  ASSERT_TRUE(executor_.run_until([&] { return sent.size() == before + 3; }, 60s));
  EXPECT_TRUE(summarized.at(before + 2));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Completed);
}

TEST_F(EngineExactCountTest, CancelledWhileAProviderCountsAJobHasLostNoCall) {
  counter_.delay = 1h;
  auto life = take("a");
  ASSERT_TRUE(executor_.run_until([&] { return counter_.under_way == 1; }, 60s));
  ASSERT_TRUE(control("a", JobAction::Cancel));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Cancelled);
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 0);
  EXPECT_EQ(counter_.under_way, 0);
}

TEST_F(EngineExactCountTest, DrainedWhileAProviderCountsTheJobGoesBackWithTheCount) {
  auto life = take("a");
  ASSERT_TRUE(executor_.run_until([&] { return counter_.under_way == 1; }, 60s));
  const auto before = sent.size();
  life->engine->drain([&] { life->drained = true; });
  ASSERT_TRUE(executor_.run_until([&] { return life->drained; }, 60s));
  EXPECT_EQ(sent.size(), before);
  EXPECT_THAT(job("a").exact_counts, SizeIs(1));
  life = begin();
  ASSERT_TRUE(run_until_finished(1));
  expect_answered("a");
  EXPECT_EQ(job("a").exact_counts.size(), counter_.asked.size());
}

}  // namespace
}  // namespace ba::driver
