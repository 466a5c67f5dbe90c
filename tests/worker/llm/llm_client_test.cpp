// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/llm_client.hpp"

#include <gtest/gtest.h>

#include <map>

#include "pipeline/text/semantic/semantic_key.hpp"
#include "tests/worker/http/fake_http.hpp"
#include "tests/worker/llm/llm_messages.hpp"
#include "worker/llm/openai_responses/openai_responses_protocol.hpp"

namespace ba::llm {
namespace {

constexpr const char* kAnswer =
    R"({"id":"msg_1","model":"claude-x","content":[{"type":"text","text":"Hello"}],)"
    R"("stop_reason":"end_turn","usage":{"input_tokens":1000,"output_tokens":100}})";

constexpr const char* kStream =
    "data: "
    "{\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"usage\":{\"input_tokens\":1}}}\n\n"
    "data: "
    "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":"
    "\"Hi\"}}\n\n"
    "data: "
    "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_"
    "tokens\":1}}\n\n";

http::FakeAnswer failed(int status, std::vector<std::pair<std::string, std::string>> headers = {},
                        const std::string& body = R"({"error":{"type":"x","message":"m"}})") {
  return {status, body, std::move(headers)};
}

http::FakeAnswer broken(ErrorCode code, bool maybe_done) {
  http::FakeAnswer answer{0, "", {}, Error{}};
  answer.error->code = code;
  answer.error->retry = Retry::Later;
  answer.sent = maybe_done;
  return answer;
}

class LlmClientTest : public ::testing::Test {
 protected:
  LlmClientTest() {
    ProviderConfig provider;
    provider.name = "p";
    provider.base_url = "https://x";
    provider.api_key = Secret("sk-secret-key");
    config_.providers.push_back(provider);
    ModelConfig model;
    model.name = "m";
    model.provider = "p";
    model.model_id = "claude-x";
    model.prices = ModelPrices{3'000'000, 15'000'000, {}, {}, ""};
    config_.models.push_back(model);
    config_.default_model = "m";
    request_.human("q");
  }

  ModelClient& client() {
    if (!client_) {
      auto made = make_llm_client(config_, {time_, time_, random_, http_, prices_});
      EXPECT_TRUE(made) << made.error().message;
      client_ = std::move(*made);
    }
    return *client_;
  }

  std::unique_ptr<ModelCall> ask(std::optional<ModelOutcome>& outcome) {
    return client().ask(request_.get(),
                        {[&outcome](ModelOutcome answer) { outcome = std::move(answer); }, {}});
  }

  ModelOutcome outcome() {
    std::optional<ModelOutcome> outcome;
    const auto call = ask(outcome);
    EXPECT_FALSE(outcome) << "answered from inside ask()";
    time_.run();
    EXPECT_TRUE(outcome);
    return outcome ? std::move(*outcome) : ModelFailure{};
  }
  ModelReply reply() {
    ModelOutcome answer = outcome();
    EXPECT_TRUE(std::holds_alternative<ModelReply>(answer))
        << std::get<ModelFailure>(answer).error.message;
    return std::get<ModelReply>(std::move(answer));
  }
  ModelFailure failure() {
    ModelOutcome answer = outcome();
    EXPECT_TRUE(std::holds_alternative<ModelFailure>(answer));
    return std::get<ModelFailure>(std::move(answer));
  }

  VirtualExecutor time_;
  FixedRandom random_{0};  // no jitter
  http::FakeHttp http_{time_};
  LlmConfig config_;
  const PriceBook* prices_ = nullptr;
  TestRequest request_;
  std::unique_ptr<ModelClient> client_;
};

TEST_F(LlmClientTest, ReportsWhatACallTookAndCost) {
  http_.answers = {{200, kAnswer, {{"request-id", "req_7"}}}};
  const ModelReply answer = reply();
  EXPECT_EQ(answer.message.text, "Hello");
  EXPECT_EQ(answer.provider, "p");
  EXPECT_EQ(answer.model, "claude-x");
  EXPECT_EQ(answer.provider_request_id, "req_7");
  EXPECT_EQ(answer.cost_micro_usd, 3000 + 1500);
  EXPECT_EQ(answer.input_prices, (InputPrices{3'000'000, 3'000'000, 3'000'000}))
      << "without others, a cache costs what input does";
  EXPECT_EQ(answer.tries, 1);
  EXPECT_EQ(answer.wasted_calls, 0);
  EXPECT_EQ(answer.latency, Milliseconds(10));
  EXPECT_EQ(answer.request_hash.size(), 64U);
  EXPECT_EQ(http_.configs.at(0).url, "https://x/v1/messages");
}

TEST_F(LlmClientTest, HasNoCostWithoutAPriceOrAReport) {
  http_.answers = {{200, R"({"content":[],"stop_reason":"end_turn"})"}};
  EXPECT_FALSE(reply().cost_micro_usd);
  client_.reset();
  config_.models[0].prices.reset();
  http_.answers = {{200, kAnswer}};
  const ModelReply unpriced = reply();
  EXPECT_FALSE(unpriced.cost_micro_usd);
  EXPECT_FALSE(unpriced.input_prices);
}

/// The price in force when the reply came counts, to the microsecond.
TEST_F(LlmClientTest, ACallCostsWhatIsInForceWhenItsReplyComes) {
  const std::pair<Microseconds, std::int64_t> rows[] = {{Microseconds(1), 3000 + 1500},
                                                        {Microseconds(0), 6000 + 3000},
                                                        {Microseconds(-1), 6000 + 3000}};
  for (const auto& [after, cost] : rows) {
    client_.reset();
    http_.answers = {{200, kAnswer}};
    const WallTime comes = time_.wall() + http_.answers[0].delay;
    config_.models[0].price_changes = {
        {comes + after, ModelPrices{6'000'000, 30'000'000, {}, {}, ""}}};
    EXPECT_EQ(reply().cost_micro_usd, cost) << after.count();
  }
}

TEST_F(LlmClientTest, ACallCostsWhatWasReadWhenItsJobWasLoaded) {
  PriceBook prices(config_.models);
  prices_ = &prices;
  config_.models[0].prices = ModelPrices{6'000'000, 30'000'000, {}, {}, ""};
  prices.read(config_.models);
  http_.answers = {{200, kAnswer}, {200, kAnswer}};
  EXPECT_EQ(reply().cost_micro_usd, 6000 + 3000) << "of no job: the newest";
  request_.fields().price_reading = 0;
  EXPECT_EQ(reply().cost_micro_usd, 3000 + 1500);
}

TEST(PriceBook, SaysWhatACallWouldCostAsACallIsBilled) {
  ModelConfig model;
  model.name = "m";
  model.prices = ModelPrices{3'000'000, 15'000'000, 300'000, 3'750'000, ""};
  const WallTime later{std::chrono::hours(1)};
  model.price_changes = {{later, ModelPrices{6'000'000, 30'000'000, {}, {}, ""}}};
  ModelConfig unpriced;
  unpriced.name = "free";
  PriceBook book({model, unpriced});
  model.prices->input = 4'000'000;
  book.read({model, unpriced});
  Usage usage;
  usage.input_tokens = 1000;
  usage.output_tokens = 100;
  EXPECT_EQ(book.cost_of_call("m", usage, 0, {}), 3000 + 1500);
  EXPECT_EQ(book.cost_of_call("m", usage, -1, {}), 4000 + 1500) << "as read last";
  EXPECT_EQ(book.cost_of_call("m", usage, 0, later), 6000 + 3000) << "as it has become";
  usage.cache_read_tokens = 1000;
  usage.cache_write_tokens = 1000;
  EXPECT_EQ(book.cost_of_call("m", usage, 0, {}), 3000 + 1500 + 300 + 3750);
  EXPECT_EQ(book.cost_of_call("free", usage, 0, {}), std::nullopt) << "not nothing";
  EXPECT_EQ(book.cost_of_call("other", usage, 0, {}), std::nullopt);
}

TEST(PriceBook, KeepsSoManyReadings) {
  ModelConfig model;
  model.name = "m";
  model.prices = ModelPrices{0, 0, {}, {}, ""};
  PriceBook book({model});
  for (int i = 1; i <= 150; ++i) {
    model.prices->input = i;
    book.read({model});
  }
  EXPECT_EQ(book.reading(), 150);
  EXPECT_EQ(book.at(150, "m", {})->input, 150);
  EXPECT_EQ(book.at(0, "m", {})->input, 51) << "the oldest that is kept";
  EXPECT_EQ(book.at(150, "other", {}), nullptr);
}

TEST_F(LlmClientTest, ReadsAStreamWhereTheReplyIsOne) {
  http_.answers = {{200, kStream, {{"content-type", "text/event-stream; charset=utf-8"}}}};
  EXPECT_EQ(reply().message.text, "Hi");
  http_.answers = {{200, kAnswer, {{"content-type", "application/json"}}}};
  EXPECT_EQ(reply().message.text, "Hello");
}

TEST_F(LlmClientTest, LetsTheBodySayWhatItIs) {
  const std::vector<std::pair<std::string, std::string>> json = {
      {"content-type", "application/json"}};
  const std::vector<std::pair<std::string, std::string>> stream = {
      {"content-type", "text/event-stream"}};
  const std::string comment = ": waiting\n\n";
  for (const http::FakeAnswer& answer :
       {http::FakeAnswer{200, kStream, json}, http::FakeAnswer{200, kStream},
        http::FakeAnswer{200, comment + kStream, json},
        http::FakeAnswer{200, "\n" + comment + kStream, json},
        http::FakeAnswer{200, "\xef\xbb\xbf" + std::string(kStream), json}}) {
    http_.answers = {answer};
    EXPECT_EQ(reply().message.text, "Hi") << answer.body;
  }
  for (const http::FakeAnswer& answer :
       {http::FakeAnswer{200, kAnswer, stream},
        http::FakeAnswer{200, "\n " + std::string(kAnswer), stream},
        http::FakeAnswer{200, kAnswer, {{"content-type", "Text/Event-Stream"}}}}) {
    http_.answers = {answer};
    EXPECT_EQ(reply().message.text, "Hello") << answer.body;
  }
  http_.answers = {{200, "internal error"}, {200, "internal error"}};
  EXPECT_NE(failure().error.message.find("not JSON"), std::string::npos);
}

TEST_F(LlmClientTest, KeepsTheWaitThatABodyAsksFor) {
  http_.answers = {failed(429, {}, R"([{"error":{"code":429,"details":[{"retryDelay":"45s"}]}}])"),
                   failed(429, {}, R"({"error":{"message":"Please try again in 38.5s."}})"),
                   {200, kAnswer}};
  EXPECT_EQ(reply().tries, 3);
  EXPECT_EQ(http_.posts.at(1).at, Milliseconds(10 + 45'000));
  EXPECT_EQ(http_.posts.at(2).at, Milliseconds(20 + 45'000 + 38'500));
}

/// A refusal that costs nothing is final only when the call's time is over.
TEST_F(LlmClientTest, CountsNoTriesThatWereRefusedUnpaid) {
  config_.retry.tries_max = 2;
  config_.retry.deadline = Milliseconds(60'000);
  const std::vector<http::FakeAnswer> refusals = {
      failed(429, {{"retry-after", "1"}}), failed(529, {{"retry-after", "1"}}),
      failed(503, {{"retry-after", "1"}}), failed(429, {{"retry-after", "1"}})};
  http_.answers = {refusals.begin(), refusals.end()};
  http_.answers.push_back({200, kAnswer});
  const ModelReply answer = reply();
  EXPECT_EQ(answer.tries, 5);
  EXPECT_EQ(answer.wasted_calls, 0);
  http_.answers.clear();
  for (int i = 0; i < 100; ++i) http_.answers.push_back(failed(429, {{"retry-after", "1"}}));
  EXPECT_EQ(failure().error.code, ErrorCode::RateLimited);
  EXPECT_GT(http_.answers.size(), 35U) << "ended by the deadline";
  http_.answers.clear();
  for (int i = 0; i < 30; ++i) http_.answers.push_back(failed(429, {{"retry-after-ms", "6"}}));
  http_.answers.push_back({200, kAnswer});
  http_.posts.clear();
  EXPECT_EQ(reply().tries, 31);
  EXPECT_GT(http_.posts.back().at - http_.posts.front().at, Milliseconds(30'000))
      << "next to nothing isn't asked at each round trip";
  http_.answers = {failed(503), failed(503), {200, kAnswer}};
  EXPECT_EQ(failure().tries, 2) << "nobody asked to wait";
}

TEST_F(LlmClientTest, TakesAStreamThatWasCutAfterItsLastWord) {
  http::FakeAnswer answer{200, kStream, {{"content-type", "text/event-stream"}}};
  answer.error = Error{};
  http_.answers = {answer};
  EXPECT_EQ(reply().message.text, "Hi");
}

TEST_F(LlmClientTest, WaitsAsLongAsTheProviderAsks) {
  http_.answers = {failed(429, {{"retry-after", "7"}}), {200, kAnswer}};
  const ModelReply answer = reply();
  EXPECT_EQ(answer.tries, 2);
  EXPECT_EQ(answer.wasted_calls, 0);
  EXPECT_EQ(http_.posts.at(1).at, Milliseconds(10 + 7000));
}

TEST_F(LlmClientTest, PausesEveryCallOfAProviderThatIsOverloaded) {
  http_.answers = {failed(529, {{"retry-after-ms", "5000"}}), {200, kAnswer}, {200, kAnswer}};
  std::optional<ModelOutcome> first;
  std::optional<ModelOutcome> second;
  const auto one = ask(first);
  time_.run_one();  // the 529 arrives
  const auto two = ask(second);
  time_.run();
  ASSERT_EQ(http_.posts.size(), 3U);
  EXPECT_GE(http_.posts[1].at, Milliseconds(5010));
  EXPECT_GE(http_.posts[2].at, Milliseconds(5010));
  EXPECT_EQ(std::get<ModelReply>(*second).tries, 1);
}

/// Or all that waited would come at once, and be refused again.
TEST_F(LlmClientTest, LetsThoseWhoWaitedInGraduallyAfterAPause) {
  http_.answers = {failed(429, {{"retry-after", "5"}})};
  for (int i = 0; i < 12; ++i) http_.answers.push_back({200, kAnswer});
  std::vector<std::optional<ModelOutcome>> outcomes(12);
  std::vector<std::unique_ptr<ModelCall>> calls;
  calls.push_back(ask(outcomes[0]));
  time_.run_one();  // the 429 arrives
  for (std::size_t i = 1; i < outcomes.size(); ++i) calls.push_back(ask(outcomes[i]));
  time_.run();
  ASSERT_EQ(http_.posts.size(), 13U);
  std::map<Milliseconds, int> together;
  for (std::size_t i = 1; i < http_.posts.size(); ++i) ++together[http_.posts[i].at];
  std::vector<int> groups;
  for (const auto& [at, posts] : together) groups.push_back(posts);
  EXPECT_EQ(groups, (std::vector<int>{1, 2, 4, 5}));
  EXPECT_GE(together.begin()->first, Milliseconds(5'010));
  for (const auto& outcome : outcomes) EXPECT_TRUE(std::holds_alternative<ModelReply>(*outcome));
}

TEST_F(LlmClientTest, ACallThatIsNotLetInEndsWithItsDeadline) {
  http_.answers = {failed(429, {{"retry-after", "5"}}), {200, kAnswer}};
  http_.answers[1].delay = Milliseconds(30'000);
  std::optional<ModelOutcome> first;
  std::optional<ModelOutcome> second;
  const auto one = ask(first);
  time_.run_one();
  ModelRequest short_lived = request_.get();
  short_lived.timeout = Milliseconds(8'000);
  const auto two =
      client().ask(short_lived, {[&](ModelOutcome answer) { second = std::move(answer); }, {}});
  time_.run();
  EXPECT_EQ(http_.posts.size(), 2U) << "it was never sent";
  EXPECT_TRUE(std::holds_alternative<ModelReply>(*first));
  EXPECT_EQ(std::get<ModelFailure>(*second).error.code, ErrorCode::RateLimited);
  EXPECT_EQ(std::get<ModelFailure>(*second).tries, 0);
}

TEST_F(LlmClientTest, ASlowReplyAfterAPauseHoldsUpNobody) {
  http_.answers = {failed(429, {{"retry-after", "5"}}), {200, kAnswer}, {200, kAnswer}};
  http_.answers[1].delay = Milliseconds(200'000);
  std::optional<ModelOutcome> first;
  std::optional<ModelOutcome> second;
  const auto one = ask(first);
  time_.run_one();
  const auto two = ask(second);
  time_.run_for(Milliseconds(15'000));
  EXPECT_FALSE(first);
  ASSERT_TRUE(second) << "5 s of pause, 5 s without a refusal, the reply";
  EXPECT_TRUE(std::holds_alternative<ModelReply>(*second));
  time_.run();
  EXPECT_TRUE(std::holds_alternative<ModelReply>(*first));
}

TEST_F(LlmClientTest, ACallThatIsGivenUpMakesRoomForTheNext) {
  http_.answers = {failed(429, {{"retry-after", "5"}}), {200, kAnswer}, {200, kAnswer}};
  http_.answers[1].delay = Milliseconds(30'000);
  std::optional<ModelOutcome> first;
  std::optional<ModelOutcome> second;
  auto one = ask(first);
  time_.run_one();
  const auto two = ask(second);
  time_.run_for(Milliseconds(6'000));
  ASSERT_EQ(http_.posts.size(), 2U);
  one.reset();
  time_.run();
  EXPECT_TRUE(std::holds_alternative<ModelReply>(*second));
}

TEST_F(LlmClientTest, BacksOffFromServerErrorsUpToTheLastTry) {
  config_.retry.tries_max = 3;
  http_.answers = {failed(500), failed(503), failed(500, {}, "<html>")};
  const ModelFailure failed = failure();
  EXPECT_EQ(failed.tries, 3);
  EXPECT_EQ(failed.wasted_calls, 0);
  EXPECT_EQ(failed.error.code, ErrorCode::Unavailable);
  EXPECT_EQ(failed.error.message, "provider p, model m: HTTP 500: an HTML page (try 3)");
  EXPECT_EQ(http_.posts.at(1).at, Milliseconds(510));
  EXPECT_EQ(http_.posts.at(2).at, Milliseconds(520 + 1000));
}

TEST_F(LlmClientTest, CountsTriesThatMayHaveBeenPaid) {
  http_.answers = {broken(ErrorCode::Timeout, true),
                   broken(ErrorCode::Unavailable, false),
                   failed(504),
                   {200, kAnswer}};
  const ModelReply answer = reply();
  EXPECT_EQ(answer.tries, 4);
  EXPECT_EQ(answer.wasted_calls, 2);
}

TEST_F(LlmClientTest, NoRequestIsOutBetweenTwoTries) {
  http_.answers = {failed(500), {200, kAnswer}};
  std::optional<ModelOutcome> outcome;
  const auto call =
      client().ask(request_.get(), {[&](ModelOutcome answer) { outcome = std::move(answer); }, {}});
  std::vector<bool> out{call->request_out()};
  time_.run_until(
      [&] {
        if (!outcome && call->request_out() != out.back()) out.push_back(!out.back());
        return outcome.has_value();
      },
      Milliseconds(10'000));
  EXPECT_EQ(out, (std::vector<bool>{true, false, true}));
}

TEST_F(LlmClientTest, RestsAfterALostTryUntilItGoesOn) {
  http_.answers = {
      broken(ErrorCode::Unavailable, false), broken(ErrorCode::Timeout, true), {200, kAnswer}};
  int lost = 0;
  std::optional<ModelOutcome> outcome;
  const auto call = client().ask(
      request_.get(), {[&](ModelOutcome answer) { outcome = std::move(answer); }, [&] { ++lost; }});
  time_.run();
  EXPECT_EQ(lost, 1) << "a refused connection costs nothing";
  EXPECT_EQ(http_.posts.size(), 2u);
  call->go_on();
  EXPECT_EQ(http_.posts.size(), 2u) << "not from inside go_on()";
  time_.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(std::get<ModelReply>(*outcome).wasted_calls, 1);
  EXPECT_EQ(http_.posts.size(), 3u);
}

TEST_F(LlmClientTest, AnnouncesTheLastLostTryToo) {
  http_.answers = {{200, "<html>"}, {200, "{}"}};
  int lost = 0;
  std::optional<ModelOutcome> outcome;
  std::unique_ptr<ModelCall> call;
  call = client().ask(request_.get(), {[&](ModelOutcome answer) { outcome = std::move(answer); },
                                       [&] {
                                         ++lost;
                                         call->go_on();
                                       }});
  time_.run();
  EXPECT_EQ(lost, 2);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(std::get<ModelFailure>(*outcome).wasted_calls, 2);
}

TEST_F(LlmClientTest, MayBeDestroyedWhenATryIsLost) {
  http_.answers = {broken(ErrorCode::Timeout, true), {200, kAnswer}};
  std::unique_ptr<ModelCall> call;
  call = client().ask(request_.get(), {[](const ModelOutcome&) { FAIL(); }, [&] { call.reset(); }});
  time_.run();
  EXPECT_EQ(http_.posts.size(), 1u);
}

TEST_F(LlmClientTest, TriesAMalformedReplyOnceMore) {
  http_.answers = {{200, "<html>"}, {200, kAnswer}};
  EXPECT_EQ(reply().wasted_calls, 1);
  http_.answers = {{200, "<html>"}, {200, "{}"}, {200, kAnswer}};
  const ModelFailure failed = failure();
  EXPECT_EQ(failed.error.code, ErrorCode::Protocol);
  EXPECT_EQ(failed.tries, 2);
  EXPECT_EQ(failed.wasted_calls, 2);
}

TEST_F(LlmClientTest, RetriesAnOverloadInsideAStream) {
  http_.answers = {{200,
                    "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n",
                    {{"content-type", "text/event-stream"}}},
                   {200, kAnswer}};
  const ModelReply answer = reply();
  EXPECT_EQ(answer.tries, 2);
  EXPECT_EQ(answer.wasted_calls, 1);
  EXPECT_EQ(http_.posts.at(1).at, Milliseconds(10 + 2000));
}

TEST_F(LlmClientTest, DoesNotRepeatWhatCanNotHelp) {
  const std::vector<http::FakeAnswer> rows = {
      failed(400),
      failed(401),
      failed(403),
      failed(404),
      failed(413),
      failed(302),
      failed(429, {}, R"({"error":{"type":"insufficient_quota","message":"m"}})"),
      failed(500, {{"x-should-retry", "false"}})};
  for (const http::FakeAnswer& row : rows) {
    http_.answers = {row};
    EXPECT_EQ(failure().tries, 1) << row.status;
  }
  http_.answers = {failed(400, {{"x-should-retry", "true"}}), {200, kAnswer}};
  EXPECT_EQ(reply().tries, 2);
}

TEST_F(LlmClientTest, GivesUpWhenTheProviderAsksForTooLongAWait) {
  http_.answers = {failed(429, {{"retry-after", "3600"}})};
  const ModelFailure failed = failure();
  EXPECT_EQ(failed.error.code, ErrorCode::RateLimited);
  EXPECT_EQ(failed.error.retry_after, Milliseconds(3'600'000));
  EXPECT_EQ(failed.tries, 1);
}

TEST_F(LlmClientTest, KeepsToTheDeadlineOfTheCall) {
  request_.fields().timeout = Milliseconds(600);
  http_.answers = {failed(500), failed(500), failed(500)};
  EXPECT_EQ(failure().tries, 2);  // the second wait would be 1000 ms
  http_.answers = {failed(429, {{"retry-after", "2"}})};
  EXPECT_EQ(failure().error.retry_after, Milliseconds(2000));
  client_.reset();        // and with it the provider's pause
  http_.answers.clear();  // never answers
  const ModelFailure late = failure();
  EXPECT_EQ(late.error.code, ErrorCode::Timeout);
  EXPECT_EQ(late.wasted_calls, 1);
}

TEST_F(LlmClientTest, StartsNoTryWithinAPauseThatOutlastsTheDeadline) {
  http_.answers = {failed(429, {{"retry-after", "5"}}), {200, kAnswer}};
  std::optional<ModelOutcome> first;
  const auto one = ask(first);
  time_.run_one();
  request_.fields().timeout = Milliseconds(1000);
  std::optional<ModelOutcome> second;
  const auto two = ask(second);
  time_.run();
  const auto& failed = std::get<ModelFailure>(*second);
  EXPECT_EQ(failed.error.code, ErrorCode::RateLimited);
  EXPECT_EQ(failed.tries, 0);
}

TEST_F(LlmClientTest, RepeatsAtOnceWhenAKeptConnectionWasDead) {
  http::FakeAnswer dead = broken(ErrorCode::Unavailable, true);
  dead.reused_connection = true;
  http_.answers = {dead, {200, kAnswer}};
  EXPECT_EQ(reply().tries, 2);
  EXPECT_EQ(http_.posts.at(1).at, Milliseconds(11));
}

TEST_F(LlmClientTest, AnswersLaterWhenThereIsNothingToAsk) {
  request_.fields().model = "x";
  EXPECT_EQ(failure().error.message, "model 'x' is not configured; llm.models has: m");
  request_.fields().model = "m";
  request_.ai("", {tool_call("t")});
  const ModelFailure failed = failure();
  EXPECT_EQ(failed.error.code, ErrorCode::InvalidArgument);
  EXPECT_EQ(failed.tries, 0);
  EXPECT_TRUE(http_.posts.empty());
}

TEST_F(LlmClientTest, CanBeCancelledAtAnyMoment) {
  for (int steps = 0; steps < 3; ++steps) {
    http_.answers = {failed(500), failed(500), {200, kAnswer}};
    std::optional<ModelOutcome> outcome;
    auto call = ask(outcome);
    for (int i = 0; i < steps; ++i) time_.run_one();
    call.reset();
    EXPECT_EQ(http_.under_way, 0);
    EXPECT_EQ(time_.pending(), 0U);
    time_.run();
    EXPECT_FALSE(outcome);
  }
  request_.fields().model = "x";
  std::optional<ModelOutcome> outcome;
  ask(outcome).reset();
  time_.run();
  EXPECT_FALSE(outcome);
}

TEST_F(LlmClientTest, MayBeDestroyedByItsOwnAnswer) {
  for (const http::FakeAnswer& row : {http::FakeAnswer{200, kAnswer}, failed(400)}) {
    http_.answers = {row};
    std::unique_ptr<ModelCall> call;
    bool answered = false;
    call = client().ask(request_.get(), {[&](const ModelOutcome&) {
                                           call.reset();
                                           answered = true;
                                         },
                                         {}});
    time_.run();
    EXPECT_TRUE(answered);
  }
  request_.fields().model = "x";
  std::unique_ptr<ModelCall> call;
  call = client().ask(request_.get(), {[&](const ModelOutcome&) { call.reset(); }, {}});
  time_.run();
  EXPECT_EQ(call, nullptr);
}

TEST_F(LlmClientTest, LeavesThinkingOutOnceWhenItsPrefixHasChanged) {
  AiMessage message;
  message.text = "a";
  message.extra = ProviderExtra{
      "anthropic/p",
      R"([{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"a"}])"};
  request_.ai(message).human("r");
  const http::FakeAnswer bound = failed(
      400, {},
      R"({"error":{"type":"invalid_request_error","message":"Invalid `signature` in `thinking` block. The block is bound to a different conversation."}})");
  http_.answers = {bound, {200, kAnswer}};
  const ModelReply answer = reply();
  EXPECT_EQ(answer.tries, 2);
  EXPECT_NE(http_.posts.at(0).body.find("signature"), std::string::npos);
  EXPECT_EQ(http_.posts.at(1).body.find("signature"), std::string::npos);
  http_.answers = {bound, bound};
  EXPECT_EQ(failure().error.code, ErrorCode::InvalidArgument);
}

AiMessage thoughtful(const std::string& text) {
  AiMessage message;
  message.text = text;
  message.extra =
      ProviderExtra{"anthropic/p", R"([{"type":"thinking","thinking":"t","signature":"of )" + text +
                                       R"("},{"type":"text","text":")" + text + R"("}])"};
  return message;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(LlmClientTest, DoesNotSendThinkingAgainThatWasRefused) {
  request_.fields().affinity = 7;
  request_.ai(thoughtful("one")).human("r");
  http_.answers = {
      failed(400, {},
             R"({"error":{"type":"invalid_request_error","message":"Invalid `signature` in )"
             R"(`thinking` block. The block is bound to a different conversation."}})"),
      {200, kAnswer},
      {200, kAnswer},
      {200, kAnswer}};
  EXPECT_EQ(reply().tries, 2);
  EXPECT_EQ(reply().tries, 1) << "remembered";
  EXPECT_FALSE(contains(http_.posts.at(2).body, "signature"));
  request_.ai(thoughtful("two")).human("r");
  EXPECT_EQ(reply().tries, 1);
  EXPECT_FALSE(contains(http_.posts.at(3).body, "of one"));
  EXPECT_TRUE(contains(http_.posts.at(3).body, "of two")) << "what came after stays";
}

TEST_F(LlmClientTest, DoesNotSendThinkingWhosePrefixIsKnownToHaveChanged) {
  request_.fields().affinity = 7;
  http_.answers = {{200, kAnswer}, {200, kAnswer}, {200, kAnswer}};
  request_.ai(thoughtful("one")).human("r");
  reply();
  request_.fields().system = "another prompt";
  reply();
  request_.ai(thoughtful("two")).human("r");
  reply();
  EXPECT_TRUE(contains(http_.posts.at(0).body, "of one"));
  EXPECT_FALSE(contains(http_.posts.at(1).body, "of one"));
  EXPECT_TRUE(contains(http_.posts.at(1).body, R"("text":"one")"));
  EXPECT_FALSE(contains(http_.posts.at(2).body, "of one"));
  EXPECT_TRUE(contains(http_.posts.at(2).body, "of two"));
}

TEST_F(LlmClientTest, DoesNotSendThinkingThatStandsBehindAShorterHistory) {
  request_.ai(thoughtful("one")).human("r").ai(thoughtful("two")).human("r");
  request_.fields().moved = 3;
  http_.answers = {{200, kAnswer}};
  reply();
  EXPECT_FALSE(contains(http_.posts.at(0).body, "of one"));
  EXPECT_TRUE(contains(http_.posts.at(0).body, "of two"));
}

/// What can't be decrypted is left out of later requests, with the ids that ask for it.
TEST_F(LlmClientTest, DoesNotSendReasoningAgainThatCouldNotBeRead) {
  config_.providers[0].protocol = &openai_responses_protocol();
  AiMessage message;
  message.text = "a";
  message.extra = ProviderExtra{
      "openai_responses/p",
      R"([{"type":"reasoning","id":"rs_1","encrypted_content":"sealed"},)"
      R"({"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"a"}]}])"};
  request_.ai(message).human("r");
  request_.fields().affinity = 7;
  const http::FakeAnswer good{
      200, R"({"id":"r","status":"completed","output":[{"type":"message","content":[)"
           R"({"type":"output_text","text":"Hello"}]}]})"};
  http_.answers = {
      failed(400, {},
             R"({"error":{"message":"could not be verified","type":"invalid_request_error",)"
             R"("code":"invalid_encrypted_content"}})"),
      good, good};
  EXPECT_EQ(reply().tries, 2);
  EXPECT_EQ(reply().tries, 1);
  EXPECT_FALSE(contains(http_.posts.at(2).body, "sealed"));
  EXPECT_FALSE(contains(http_.posts.at(2).body, "msg_1"));
  EXPECT_TRUE(contains(http_.posts.at(2).body, "output_text"));
}

/// A model that doesn't reason refuses the same in each request.
TEST_F(LlmClientTest, RemembersWhatAModelRefusesAlways) {
  config_.providers[0].protocol = &openai_responses_protocol();
  const http::FakeAnswer refused = failed(
      400, {},
      R"({"error":{"message":"Encrypted content is not supported with this model.","type":"invalid_request_error"}})");
  const http::FakeAnswer good{
      200, R"({"id":"r","status":"completed","output":[{"type":"message","content":[)"
           R"({"type":"output_text","text":"Hello"}]}]})"};
  http_.answers = {refused, good, good};
  EXPECT_EQ(reply().tries, 2);
  EXPECT_EQ(reply().tries, 1);
  EXPECT_NE(http_.posts.at(0).body.find("encrypted_content"), std::string::npos);
  EXPECT_EQ(http_.posts.at(1).body.find("encrypted_content"), std::string::npos);
  EXPECT_EQ(http_.posts.at(2).body.find("encrypted_content"), std::string::npos);
}

/// What is kept of a conversation's last request is seen neither by the provider nor in the ledger.
TEST_F(LlmClientTest, AConversationIsSentAsEachOfItsRequestsByItself) {
  RequestMemory memory;
  std::size_t kept = 0;
  for (int step = 0; step < 60; ++step) {
    request_.ai("a" + std::string(400, 'a')).human("q\"" + std::string(step % 7 * 100, 'q'));
    if (step == 30) request_.fields().system = "Be brief.";
    request_.fields().memory = &memory;
    http_.answers = {{200, kAnswer}, {200, kAnswer}};
    const std::string hash = reply().request_hash;
    kept += memory.kept != nullptr;
    request_.fields().memory = nullptr;
    const ModelReply alone = reply();
    ASSERT_EQ(http_.posts.end()[-2].body, http_.posts.back().body) << step;
    ASSERT_EQ(hash, alone.request_hash) << step;
    ASSERT_EQ(hash, sha256_hex_of(http_.posts.back().body)) << step;
  }
  EXPECT_GT(kept, 20U);
  EXPECT_LT(kept, 60U) << "not of the first ones, which are short";
}

/// The body that is sent again without what was refused isn't the one that is kept.
TEST_F(LlmClientTest, AKeptRequestIsRepairedByItself) {
  RequestMemory memory;
  request_.fields().affinity = 7;
  request_.human(std::string(20'000, 'q')).ai(thoughtful("one")).human("r");
  request_.fields().memory = &memory;
  http_.answers = {
      failed(400, {},
             R"({"error":{"type":"invalid_request_error","message":"Invalid `signature` in )"
             R"(`thinking` block. The block is bound to a different conversation."}})"),
      {200, kAnswer},
      {200, kAnswer}};
  const ModelReply repaired = reply();
  EXPECT_EQ(repaired.tries, 2);
  EXPECT_TRUE(contains(http_.posts.at(0).body, "of one"));
  EXPECT_FALSE(contains(http_.posts.at(1).body, "of one"));
  EXPECT_EQ(repaired.request_hash, sha256_hex_of(http_.posts.at(1).body));
  request_.ai(thoughtful("two")).human("r");
  const ModelReply next = reply();
  EXPECT_EQ(next.request_hash, sha256_hex_of(http_.posts.at(2).body));
  EXPECT_FALSE(contains(http_.posts.at(2).body, "of one"));
  EXPECT_TRUE(contains(http_.posts.at(2).body, "of two"));
}

TEST_F(LlmClientTest, SaysThatTheConversationIsTooLong) {
  http_.answers = {failed(
      400, {},
      R"({"error":{"type":"invalid_request_error","message":"prompt is too long: 2 > 1"}})")};
  const ModelReply answer = reply();
  EXPECT_EQ(answer.stop, StopReason::ContextExceeded);
  EXPECT_EQ(answer.cost_micro_usd, 0);
  ASSERT_TRUE(answer.refused);
  EXPECT_FALSE(answer.refused->limit) << "numbers that no context has";
  http_.answers = {failed(
      400, {},
      R"({"error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}})")};
  EXPECT_EQ(reply().refused, (ContextRefusal{200'000, 210'000, false}));
  http_.answers = {
      failed(400, {},
             R"({"error":{"code":400,"type":"exceed_context_size_error","message":"too long",)"
             R"("n_prompt_tokens":5000,"n_ctx":4096}})")};
  EXPECT_EQ(reply().refused, (ContextRefusal{4096, 5000, false}));
}

TEST_F(LlmClientTest, NeverShowsTheKey) {
  http_.answers = {failed(
      401, {}, R"({"error":{"type":"authentication_error","message":"bad key sk-secret-key!"}})")};
  const std::string message = failure().error.message;
  EXPECT_EQ(message.find("sk-secret"), std::string::npos);
  EXPECT_NE(message.find("bad key ***!"), std::string::npos);
}

TEST_F(LlmClientTest, ShowsNoRestOfAKeyThatHoldsAnother) {
  config_.providers[0].headers["x-team"] = Secret("secret-key");
  config_.providers[0].headers["x-token"] = Secret("p@ss\"word");
  http_.answers = {
      failed(401, {}, R"({"error":{"message":"sk-secret-key, p%40ss%22word, p@ss\\\"word!"}})")};
  const std::string message = failure().error.message;
  EXPECT_NE(message.find("***, ***, ***!"), std::string::npos) << message;
}

TEST_F(LlmClientTest, BoundsBodiesAndEvents) {
  config_.limits.reply_bytes_max = 2000;
  config_.limits.event_bytes_max = 1024;
  config_.limits.tool_args_bytes_max = 1000;
  const auto expect_once = [&](const http::FakeAnswer& answer, const std::string& limit) {
    http_.answers = {answer, {200, kAnswer}};
    const ModelFailure failed = failure();
    EXPECT_NE(failed.error.message.find(limit), std::string::npos) << failed.error.message;
    EXPECT_EQ(failed.tries, 1) << "it was paid, and would be as long again";
    EXPECT_EQ(failed.wasted_calls, 1);
  };
  expect_once({200, std::string(2001, ' ')}, "reply_bytes_max");
  const std::vector<std::pair<std::string, std::string>> stream = {
      {"content-type", "text/event-stream"}};
  const std::string line = "data: " + std::string(1100, 'x');
  expect_once({200, line, stream}, "event_bytes_max");
}

TEST_F(LlmClientTest, RefusesAnInvalidConfiguration) {
  config_.models[0].temperature = 1;
  const auto made = make_llm_client(config_, {time_, time_, random_, http_});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::InvalidArgument);
}

TEST_F(LlmClientTest, LetsTheConfigurationReplaceHeaders) {
  config_.providers[0].headers = {{"Authorization", Secret("Basic x")},
                                  {"anthropic-beta", Secret("b")}};
  client();
  int authorizations = 0;
  for (const auto& [name, value] : http_.configs.at(0).headers)
    if (name == "authorization") {
      ++authorizations;
      EXPECT_EQ(value.reveal(), "Basic x");
    }
  EXPECT_EQ(authorizations, 1);
}

}  // namespace
}  // namespace ba::llm
