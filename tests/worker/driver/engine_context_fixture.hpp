#pragma once
// SPDX-License-Identifier: Apache-2.0
// A worker's engine with conversations that become too long: a model that looks often, and one that
// summarizes.

#include <gmock/gmock.h>

#include "pipeline/text/message/job_time.hpp"
#include "tests/worker/driver/engine_fixture.hpp"
#include "tests/worker/driver/looking_model.hpp"
#include "worker/driver/summary_writer.hpp"

namespace ba::driver {

/// Each token of any model costs the same.
class EvenPrices final : public CallPrices {
 public:
  std::optional<std::int64_t> cost_of_call(const std::string&, const Usage& usage, int,
                                           WallTime) const override {
    costs.push_back(usage.total() * micro_usd_per_token);
    return costs.back();
  }

  std::int64_t output_tokens_max(const std::string&) const override { return kReplyTokens; }

  static constexpr std::int64_t kReplyTokens = 2'000;
  std::int64_t micro_usd_per_token = 1;
  mutable std::vector<std::int64_t> costs;  ///< all that were asked for
};

/// A model that looks `looks` times before it answers, and another that summarizes.
class EngineContextTest : public EngineTest {
 protected:
  static constexpr std::int64_t kWindow = 3'000;

  EngineContextTest() {
    run_as(RunProfile{});
    ports_.meter = &meter_;
    ports_.summaries = &known_;
    SummaryRules& summary = ports_.compression.summary;
    ports_.compression.mode = CompressionMode::Summarize;
    ports_.compression.refocus.every_steps = 0;
    summary.model = "small";
    summary.cost_micro_usd_per_hour = 1'000'000'000;
    model_.script = [this](const ModelRequest& request) { return reply_to(request); };
    model_.delay = 100ms;
  }

  void run_as(const RunProfile& profile) { agents_ = looking_agent(profile, registry_, kWindow); }

  /// By a worker of its own, with so much for all that it does.
  void run_for(const std::string& id, std::int64_t cost_micro_usd_max) {
    RunProfile profile;
    profile.limits.cost_micro_usd_max = cost_micro_usd_max;
    run_as(profile);
    summaries_asked = 0;
    const int before = finished();
    auto life = begin();
    life->engine->take(records({id}));
    ASSERT_TRUE(run_until_finished(before + 1));
    life->engine->drop();
    EXPECT_EQ(job(id).finished->result.outcome, Outcome::Completed) << id;
    EXPECT_THAT(job(id).compressions, testing::Not(testing::IsEmpty())) << id;
  }

  std::optional<AiMessage> reply_to(const ModelRequest& request) {
    if (request.system.starts_with("You summarize")) {
      AiMessage reply;
      ++summaries_asked;
      summary_model = request.model;
      summary_tokens_max = request.max_output_tokens;
      summary_timeout = request.timeout;
      summary_price_reading = request.price_reading;
      asked_to_summarize = std::get<HumanMessage>(*request.messages.at(0)).text;
      reply.text = summary_text;
      return reply;
    }
    sent.push_back(texts_of(request));
    sent_to_read.emplace_back();
    for (const Message* message : request.messages)
      if (const auto* human = std::get_if<HumanMessage>(message))
        sent_to_read.back() += text_for_model(*human) + "\n";
    sent_tokens.push_back(tokens_of(request, meter_));
    return look_or_answer(request, looks);
  }

  static bool summarized(const std::vector<std::string>& texts) {
    return std::ranges::any_of(texts, [](const std::string& text) {
      return text.starts_with("Summary of the conversation up to round ");
    });
  }

  int summarized_requests() const {
    return static_cast<int>(std::ranges::count_if(sent, summarized));
  }

  std::vector<SummaryState> states(const std::string& id) {
    std::vector<SummaryState> states;
    for (const auto& [at, summary] : job(id).summaries) states.push_back(summary.row.state);
    return states;
  }

  std::int64_t tokens_of_rows(const std::string& id) {
    std::int64_t tokens = 0;
    for (const auto& [at, step] : job(id).steps) tokens += step.message.usage.total();
    for (const auto& [at, summary] : job(id).summaries) tokens += summary.row.usage.total();
    return tokens;
  }

  std::string compressions_told(const std::string& id) {
    return "\"compression_events\":" + std::to_string(job(id).compressions.size()) + ",";
  }

  /// A job of one conversation, by a worker of its own.
  void run_in_talk(const std::string& id, const std::string& message, int its_looks) {
    looks = its_looks;
    job_messages_ = {message};
    const int before = finished();
    auto life = begin();
    life->engine->take(records({id}, "talk"));
    ASSERT_TRUE(run_until_finished(before + 1));
    life->engine->drop();
  }

  /// The second job drops what the first one said, and has a summary of that written.
  void talk_until_there_is_a_summary() {
    ASSERT_NO_FATAL_FAILURE(run_in_talk("a", "how many?", 11));
    ASSERT_THAT(states("a"), testing::IsEmpty());
    ASSERT_NO_FATAL_FAILURE(run_in_talk("b", std::string(2'000, 'm'), 2));
    ASSERT_THAT(states("b"), testing::ElementsAre(SummaryState::Ready));
    ASSERT_EQ(summaries_asked, 1);
  }

  /// Of a job that was sent a summary which an earlier one had paid.
  void expect_used_again(const std::string& id) {
    EXPECT_EQ(summaries_asked, 1);
    ASSERT_THAT(states(id), testing::ElementsAre(SummaryState::Ready));
    const SummaryRow& row = job(id).summaries.begin()->second.row;
    EXPECT_TRUE(row.reused);
    EXPECT_EQ(row.content_hash, job("b").summaries.begin()->second.row.content_hash);
    EXPECT_THAT(sent.back(), testing::Contains(testing::HasSubstr(summary_text)));
    EXPECT_EQ(job(id).finished->result.totals.usage.total(),
              static_cast<std::int64_t>(job(id).steps.size()) * model_.input_tokens)
        << "nothing but its own replies";
    const Savings& savings = job(id).finished->result.totals.savings;
    EXPECT_EQ(savings.shared_results.tokens, job("b").summaries.begin()->second.row.usage.total())
        << "what the earlier one took";
    EXPECT_GT(savings.shared_results.tokens, 0);
  }

  /// Of job "a", that its one summary came to `state` and it went on without.
  void expect_extracts(SummaryState state) {
    EXPECT_EQ(job("a").finished->result.outcome, Outcome::Completed);
    EXPECT_EQ(summaries_asked, 1);
    EXPECT_THAT(states("a"), testing::ElementsAre(state));
    EXPECT_EQ(summarized_requests(), 0);
    EXPECT_THAT(sent.back(), testing::Contains(testing::StartsWith("Round a/0:")));
    EXPECT_EQ(job("a").finished->result.totals.usage.total(), tokens_of_rows("a"));
  }

  void expect_written_anew(const std::string& id) {
    EXPECT_EQ(summaries_asked, 2);
    ASSERT_THAT(states(id), testing::ElementsAre(SummaryState::Ready));
    EXPECT_FALSE(job(id).summaries.begin()->second.row.reused);
  }

  int wasted(const std::string& id) { return job(id).finished->result.totals.wasted_model_calls; }

  QuarterMeter meter_;
  EvenPrices prices_;  ///< none are known before a test says so
  LocalResults known_{{10, 10'000}};
  int looks = 14;
  int summaries_asked = 0;
  std::string summary_text = "all was looked at";
  std::string asked_to_summarize;
  std::string summary_model;            ///< of the newest request for one
  std::int64_t summary_tokens_max = 0;  ///< of the newest request for one
  Milliseconds summary_timeout{0};
  int summary_price_reading = -1;
  std::vector<std::vector<std::string>> sent;  ///< to the model that does the work
  std::vector<std::string> sent_to_read;       ///< the user's messages in each, as they are read
  std::vector<std::int64_t> sent_tokens;       ///< of each of these, without a margin
};

}  // namespace ba::driver
