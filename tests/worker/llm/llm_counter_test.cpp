// SPDX-License-Identifier: Apache-2.0
// A worker's questions for the tokens of requests: bounded, asked once, and never worth a wait.
#include "worker/llm/llm_counter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/worker/http/fake_http.hpp"
#include "tests/worker/llm/llm_messages.hpp"

namespace ba::llm {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class LlmCounterTest : public ::testing::Test {
 protected:
  LlmCounterTest() {
    ProviderConfig provider;
    provider.name = "p";
    provider.base_url = "https://x";
    provider.api_key = Secret("sk-secret-key");
    models_.llm.providers.push_back(provider);
    for (const char* name : {"m", "unasked"}) {
      ModelConfig model;
      model.name = name;
      model.provider = "p";
      model.model_id = "claude-x";
      models_.llm.models.push_back(model);
    }
    models_.apis["m"] = count_api(provider, models_.llm.models[0], "").value();
    models_.timeout = Milliseconds(1'500);
    request_.human("q");
    request_.fields().model = "m";
  }

  ExactCounter& counter() {
    if (!counter_) {
      auto made = make_llm_counter(models_, LlmPorts{time_, time_, random_, http_});
      EXPECT_TRUE(made);
      counter_ = std::move(made.value());
    }
    return *counter_;
  }

  ExactCount count() {
    std::optional<ExactCount> heard;
    const auto call = counter().count(request_.get(), [&](ExactCount c) { heard = std::move(c); });
    EXPECT_FALSE(heard) << "never from inside";
    time_.run_until([&] { return heard.has_value(); }, Milliseconds(60'000));
    EXPECT_TRUE(heard);
    return heard.value_or(ExactCount{});
  }

  VirtualExecutor time_;
  http::FakeHttp http_{time_};
  FixedRandom random_;
  CountingModels models_;
  TestRequest request_;
  std::unique_ptr<ExactCounter> counter_;
};

TEST_F(LlmCounterTest, AsksTheEndpointThatCounts) {
  http_.answers = {{200, R"({"input_tokens":321})"}};
  EXPECT_EQ(count(), (ExactCount{CountOutcome::Counted, 321, {}}));
  ASSERT_THAT(http_.configs, SizeIs(1));
  EXPECT_EQ(http_.configs[0].url, "https://x/v1/messages/count_tokens");
  EXPECT_EQ(http_.configs[0].total_timeout, Milliseconds(1'500));
  EXPECT_LE(http_.configs[0].connect_timeout, Milliseconds(1'500));
  EXPECT_EQ(http_.configs[0].reply_bytes_max, kCountAnswerBytesMax);
  EXPECT_THAT(http_.posts.at(0).body, HasSubstr(R"("messages":[{"role":"user")"));
  EXPECT_TRUE(counter().counts("m"));
  EXPECT_FALSE(counter().counts("unasked"));
  EXPECT_FALSE(counter().counts("nobody"));
}

TEST_F(LlmCounterTest, TheSameRequestIsAskedAboutOnce) {
  http_.answers = {{200, R"({"input_tokens":321})"}, {200, R"({"input_tokens":400})"}};
  count();
  EXPECT_EQ(count(), (ExactCount{CountOutcome::Known, 321, {}}));
  EXPECT_THAT(http_.posts, SizeIs(1));
  request_.ai("a").human("more");
  EXPECT_EQ(count().tokens, 400);
  EXPECT_THAT(http_.posts, SizeIs(2));
}

TEST_F(LlmCounterTest, WithoutAnAnswerInTimeThereIsNone) {
  http::FakeAnswer silent{0, ""};
  silent.left_open = true;
  http_.answers = {silent};
  const auto before = time_.now();
  const ExactCount none = count();
  EXPECT_EQ(none.outcome, CountOutcome::Failed);
  EXPECT_FALSE(none.tokens);
  EXPECT_THAT(none.why, HasSubstr("didn't answer within 1500 ms"));
  EXPECT_EQ(time_.now() - before, Milliseconds(1'500));
  EXPECT_EQ(http_.under_way, 0);
}

TEST_F(LlmCounterTest, WhoFailedIsNotAskedForAWhile) {
  http_.answers = {{503, "sk-secret-key is busy"}, {200, R"({"input_tokens":321})"}};
  const ExactCount failed = count();
  EXPECT_THAT(failed.why, HasSubstr("https://x/v1/messages/count_tokens answered HTTP 503"));
  EXPECT_THAT(failed.why, Not(HasSubstr("sk-secret")));
  EXPECT_EQ(count().outcome, CountOutcome::Paused);
  EXPECT_THAT(http_.posts, SizeIs(1));
  time_.run_for(kCountPause);
  EXPECT_EQ(count().tokens, 321);
}

TEST_F(LlmCounterTest, AStrangersWishForAKeyIsSaidAsThat) {
  models_.apis["m"] =
      count_api(models_.llm.providers[0], models_.llm.models[0], "https://y/count_tokens").value();
  http_.answers = {{401, ""}};
  EXPECT_EQ(count().why,
            "https://y/count_tokens wants a key; none is sent to another server than the "
            "provider's base_url");
}

/// A thought of a reply that was never moved is sent, so it is counted; whatever was counted
/// before.
TEST_F(LlmCounterTest, CountsTheThoughtsThatAreSent) {
  models_.llm.models[0].thinking = ThinkingConfig{ThinkingMode::Adaptive};
  http_.answers = {{200, R"({"input_tokens":1})"}, {200, R"({"input_tokens":2})"}};
  request_.ai("thinks not").human("first form");
  count();
  TestRequest other;
  other.fields().model = "m";
  AiMessage thinker;
  thinker.text = "a";
  thinker.extra = ProviderExtra{extra_origin(models_.llm.providers[0]),
                                R"([{"type":"thinking","thinking":"hm","signature":"s"},)"
                                R"({"type":"text","text":"a"}])"};
  other.human("another beginning").ai(thinker).human("more");
  std::optional<ExactCount> heard;
  const auto call = counter().count(other.get(), [&](ExactCount c) { heard = std::move(c); });
  time_.run_until([&] { return heard.has_value(); }, Milliseconds(60'000));
  EXPECT_THAT(http_.posts.at(1).body, HasSubstr(R"("thinking":"hm")"));
}

TEST_F(LlmCounterTest, WhatIsRefusedOfOneRequestSaysNothingOfOthers) {
  for (const int status : {400, 413, 422}) {
    http_.answers = {{status, R"({"error":{"message":"prompt is too long"}})"},
                     {200, R"({"input_tokens":321})"}};
    EXPECT_EQ(count().outcome, CountOutcome::Failed) << status;
    EXPECT_EQ(count().tokens, 321) << status;
    request_.ai("a").human("more");
  }
}

TEST_F(LlmCounterTest, WhatIsNoCountIsNone) {
  for (const char* answer :
       {"", "<html>", "{}", R"({"input_tokens":0})", R"({"input_tokens":-5})"}) {
    http_.answers = {{200, answer}};
    const ExactCount none = count();
    EXPECT_EQ(none.outcome, CountOutcome::Failed) << answer;
    EXPECT_FALSE(none.tokens) << answer;
    time_.run_for(kCountPause);
  }
}

TEST_F(LlmCounterTest, AnAnswerIsOfBoundedSize) {
  http_.answers = {{200, std::string(static_cast<std::size_t>(kCountAnswerBytesMax) + 1, ' ')}};
  EXPECT_EQ(count().outcome, CountOutcome::Failed);
}

TEST_F(LlmCounterTest, GivenUpItIsHeardOfNoMore) {
  http_.answers = {{200, R"({"input_tokens":321})"}};
  auto call = counter().count(request_.get(), [](const ExactCount&) { FAIL() << "was given up"; });
  call.reset();
  EXPECT_EQ(http_.under_way, 0);
  time_.run_for(Milliseconds(5'000));
}

}  // namespace
}  // namespace ba::llm
