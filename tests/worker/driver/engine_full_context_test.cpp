// SPDX-License-Identifier: Apache-2.0
// Providers that take less than the window as it is configured, or as we count: a refused context
// is made shorter, for the job and for those that go on with its conversation.
#include <gmock/gmock.h>

#include "tests/worker/driver/engine_fixture.hpp"
#include "tests/worker/driver/looking_model.hpp"

namespace ba::driver {
namespace {

using testing::Each;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Not;
using testing::SizeIs;

/// A model that looks `looks` times before it answers, and takes no more than `takes_tokens`.
class EngineFullContextTest : public EngineTest {
 protected:
  static constexpr std::int64_t kConfigured = 20'000;

  EngineFullContextTest() {
    configure(kConfigured);
    ports_.meter = &meter_;
    ports_.compression.summary.enabled = false;
    ports_.compression.refocus.every_steps = 0;
    model_.script = [this](const ModelRequest& request) { return look_or_answer(request, looks); };
    model_.too_long = [this](const ModelRequest& request) { return refusal_of(request); };
    model_.delay = 100ms;
  }

  void configure(std::int64_t window) { agents_ = looking_agent({}, registry_, window); }

  std::optional<ContextRefusal> refusal_of(const ModelRequest& request) {
    sent.push_back(texts_of(request));
    ceilings.push_back(request.output_ceiling);
    const std::int64_t tokens = tokens_of(request, meter_);
    if (tokens <= takes_tokens) {
      taken.push_back(tokens);
      return std::nullopt;
    }
    ++refused;
    if (!tells) return ContextRefusal{};
    return ContextRefusal{takes_tokens * scale, tokens * scale, false};
  }

  /// A job of one conversation, by a worker of its own.
  void run_in_talk(const std::string& id, const std::string& question = "how many?") {
    job_messages_ = {question};
    const int before = finished();
    auto life = begin();
    life->engine->take(records({id}, "talk"));
    ASSERT_TRUE(run_until_finished(before + 1));
    life->engine->drop();
  }

  const JobResult& result(const std::string& id) { return job(id).finished->result; }

  /// Nothing of what was refused is a step, or cost anything.
  void expect_answered(const std::string& id) {
    EXPECT_EQ(result(id).outcome, Outcome::Completed);
    EXPECT_THAT(job(id).steps, SizeIs(static_cast<std::size_t>(looks) + 1));
    EXPECT_EQ(result(id).totals.steps, looks + 1);
    EXPECT_EQ(result(id).totals.wasted_model_calls, 0);
    EXPECT_EQ(result(id).totals.usage.total(), (looks + 1) * model_.input_tokens);
  }

  QuarterMeter meter_;
  int looks = 14;
  std::int64_t takes_tokens = 1'500;
  bool tells = true;
  std::int64_t scale = 1;  ///< of the provider's count to ours
  int refused = 0;
  std::vector<std::int64_t> taken;  ///< tokens of each request that was answered
  std::vector<std::vector<std::string>> sent;
  std::vector<std::int64_t> ceilings;
};

TEST_F(EngineFullContextTest, MakesTheHistoryAsShortAsTheProviderSaysAndAsksAgain) {
  ASSERT_NO_FATAL_FAILURE(run_in_talk("a"));
  expect_answered("a");
  EXPECT_EQ(refused, 1) << "the window is known from then on";
  ASSERT_THAT(job("a").refused_contexts, SizeIs(1));
  const RefusedContextRow& row = job("a").refused_contexts.begin()->second;
  EXPECT_EQ(row.window, 1'500);
  EXPECT_GT(row.tokens, 1'500);
  EXPECT_EQ(row.of_window, kConfigured);
  EXPECT_EQ(row.told_limit, 1'500);
  EXPECT_EQ(row.model, "two-step");
  ASSERT_THAT(job("a").compressions, Not(IsEmpty()));
  EXPECT_EQ(job("a").compressions.begin()->first.index, 1) << "after the first refusal";
  EXPECT_THAT(job("a").compressions.begin()->second.reason, HasSubstr("refused"));
}

TEST_F(EngineFullContextTest, ReckonsWithTheProvidersCount) {
  scale = 3;
  ASSERT_NO_FATAL_FAILURE(run_in_talk("a"));
  expect_answered("a");
  EXPECT_EQ(refused, 1);
  const RefusedContextRow& row = job("a").refused_contexts.begin()->second;
  EXPECT_EQ(row.told_limit, 4'500);
  EXPECT_EQ(row.window, 1'500) << "in our tokens";
}

TEST_F(EngineFullContextTest, HalvesWhatWasSentWhereNothingIsTold) {
  tells = false;
  ASSERT_NO_FATAL_FAILURE(run_in_talk("a"));
  expect_answered("a");
  EXPECT_THAT(taken, Each(Le(takes_tokens)));
  EXPECT_GE(refused, 1);
  EXPECT_LE(refused, 3);
  EXPECT_FALSE(job("a").refused_contexts.begin()->second.told_limit);
}

TEST_F(EngineFullContextTest, LaterJobsOfTheConversationAreShortBeforeTheyAsk) {
  ASSERT_NO_FATAL_FAILURE(run_in_talk("a"));
  ASSERT_EQ(refused, 1);
  ASSERT_NO_FATAL_FAILURE(run_in_talk("b"));
  expect_answered("b");
  EXPECT_EQ(refused, 1);
  EXPECT_THAT(job("b").refused_contexts, IsEmpty());
  EXPECT_GT(ceilings.back(), 0);
  EXPECT_LE(ceilings.back(), 750) << "a reply may take half of the window";
}

TEST_F(EngineFullContextTest, AJobThatBeginsTooLongGoesOnToo) {
  takes_tokens = kConfigured;
  ASSERT_NO_FATAL_FAILURE(run_in_talk("a"));
  ASSERT_EQ(refused, 0);
  takes_tokens = 1'500;
  ASSERT_NO_FATAL_FAILURE(run_in_talk("b"));
  EXPECT_EQ(refused, 1);
  expect_answered("b");
}

TEST_F(EngineFullContextTest, AnotherWindowInTheConfigurationBeginsAnew) {
  ASSERT_NO_FATAL_FAILURE(run_in_talk("a"));
  ASSERT_EQ(refused, 1);
  configure(kConfigured + 1);
  takes_tokens = kConfigured + 1;
  ASSERT_NO_FATAL_FAILURE(run_in_talk("b"));
  EXPECT_EQ(refused, 1);
  EXPECT_THAT(job("b").compressions, IsEmpty());
  EXPECT_EQ(ceilings.back(), 0);
}

TEST_F(EngineFullContextTest, AWindowThatIsNotConfiguredIsFoundOut) {
  configure(0);
  ASSERT_NO_FATAL_FAILURE(run_in_talk("a"));
  expect_answered("a");
  EXPECT_EQ(refused, 1);
  ASSERT_NO_FATAL_FAILURE(run_in_talk("b"));
  expect_answered("b");
  EXPECT_EQ(refused, 1);
}

/// Such a reply is a step, and says as much of the window as a refusal.
TEST_F(EngineFullContextTest, AWindowThatIsNotConfiguredIsFoundOutByARepliesLackOfRoom) {
  for (const std::int64_t window : {std::int64_t{0}, kConfigured}) {
    configure(window);
    model_.no_room = std::exchange(model_.too_long, nullptr);
    const std::string id = "a" + std::to_string(window);
    refused = 0;
    taken.clear();
    auto life = begin();
    life->engine->take(records({id}));
    ASSERT_TRUE(run_until_finished(finished() + 1));
    life->engine->drop();
    EXPECT_EQ(result(id).outcome, Outcome::Completed);
    EXPECT_EQ(refused, 1);
    EXPECT_EQ(result(id).totals.steps, looks + 1 + refused);
    ASSERT_THAT(job(id).refused_contexts, SizeIs(1));
    EXPECT_EQ(job(id).refused_contexts.begin()->second.told_limit, takes_tokens);
    EXPECT_EQ(job(id).refused_contexts.begin()->second.window, takes_tokens);
    model_.too_long = std::exchange(model_.no_room, nullptr);
  }
}

/// What a job was refused when it gave up is known to its copy, and doesn't count as the copy's.
TEST_F(EngineFullContextTest, ACopyOfAJobThatGaveUpGoesOn) {
  takes_tokens = kConfigured;
  ASSERT_NO_FATAL_FAILURE(run_in_talk("a"));
  takes_tokens = 0;
  tells = false;
  ASSERT_NO_FATAL_FAILURE(run_in_talk("b"));
  ASSERT_EQ(result("b").error->code, "CONTEXT_EXCEEDED");
  const auto known = job("b").refused_contexts;
  ASSERT_THAT(known, Not(IsEmpty()));
  storage::JobCopy copy;
  copy.source = {TenantId("acme"), JobId("b")};
  copy.job = job("b").intake;
  copy.job.job.job_id = JobId("c");
  copy.job.job.conversation_id = ConversationId("job:c");
  copy.job.payload = encode_job(copy.job.job);
  ASSERT_TRUE(ledger_.copy_job(copy));
  ASSERT_THAT(job("c").refused_contexts, SizeIs(known.size()));
  for (const auto& [at, row] : job("c").refused_contexts) EXPECT_EQ(at.round, -1);
  takes_tokens = 1'500;
  refused = 0;
  auto life = begin();
  ASSERT_TRUE(run_until_finished(3));
  EXPECT_EQ(result("c").outcome, Outcome::Completed);
  EXPECT_LT(refused, kRefusalsOfReplyMax);
}

TEST_F(EngineFullContextTest, EndsWhereEvenTheLeastIsRefused) {
  takes_tokens = 0;
  tells = false;
  ASSERT_NO_FATAL_FAILURE(run_in_talk("a"));
  EXPECT_EQ(result("a").outcome, Outcome::ModelError);
  EXPECT_EQ(result("a").error->code, "CONTEXT_EXCEEDED");
  EXPECT_LE(refused, kRefusalsOfReplyMax);
  EXPECT_EQ(result("a").totals.steps, 0);
  EXPECT_EQ(result("a").totals.wasted_model_calls, 0);
  EXPECT_EQ(result("a").totals.cost_micro_usd, 0);
}

TEST_F(EngineFullContextTest, AskedAgainAndAgainItStopsAtTheFourthRefusal) {
  takes_tokens = 1 << 20;
  ASSERT_NO_FATAL_FAILURE(run_in_talk("a"));
  takes_tokens = 0;
  tells = false;
  ASSERT_NO_FATAL_FAILURE(run_in_talk("b"));
  EXPECT_EQ(result("b").error->code, "CONTEXT_EXCEEDED");
  EXPECT_THAT(refused, testing::AllOf(Gt(1), Le(kRefusalsOfReplyMax)));
  takes_tokens = 1 << 20;
  ASSERT_NO_FATAL_FAILURE(run_in_talk("c"));
  EXPECT_EQ(result("c").outcome, Outcome::Completed) << "the conversation is not lost";
}

TEST_F(EngineFullContextTest, WithoutACountItEndsAsTheProviderSays) {
  ports_.meter = nullptr;
  ASSERT_NO_FATAL_FAILURE(run_in_talk("a"));
  EXPECT_EQ(result("a").error->code, "CONTEXT_EXCEEDED");
  EXPECT_EQ(refused, 1);
  EXPECT_THAT(job("a").refused_contexts, IsEmpty());
}

TEST_F(EngineFullContextTest, WhoTakesTheJobOverSendsTheSame) {
  for (const bool told : {true, false}) {
    tells = told;
    sent.clear();
    auto undisturbed = begin();
    const std::string all = told ? "a" : "c";
    undisturbed->engine->take(records({all}));
    ASSERT_TRUE(run_until_finished(finished() + 1));
    const auto expected = sent;
    const auto compressions = job(all).compressions.size();
    const auto windows = job(all).refused_contexts.size();
    undisturbed->engine->drop();
    // Killed at each of its calls in turn, the same job sends what it would have sent.
    for (std::size_t at = 1; at < expected.size(); ++at) {
      const std::string id = (told ? "b" : "d") + std::to_string(at);
      sent.clear();
      auto life = begin();
      life->engine->take(records({id}));
      ASSERT_TRUE(executor_.run_until([&] { return sent.size() == at + 1; }, 60s));
      life = taken_over_from(*life);
      ASSERT_TRUE(executor_.run_until([&] { return job(id).finished.has_value(); }, 60s));
      ASSERT_EQ(sent.size(), expected.size() + 1);
      EXPECT_EQ(sent.at(at), sent.at(at + 1)) << at;
      EXPECT_EQ(job(id).compressions.size(), compressions) << at;
      EXPECT_EQ(job(id).refused_contexts.size(), windows) << at;
      EXPECT_THAT(job(id).finished->metrics_json,
                  HasSubstr("\"compression_events\":" + std::to_string(compressions) + ","));
      life->engine->drop();
    }
  }
}

}  // namespace
}  // namespace ba::driver
