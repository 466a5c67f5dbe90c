// SPDX-License-Identifier: Apache-2.0
// What a job's report says that it saved is the bill of a plain loop for the same work, less its
// own: the whole history with each call, results as indented JSON, no cache.
#include <nlohmann/json.hpp>

#include "pipeline/core/context/history_rounds.hpp"
#include "pipeline/core/tool/full_text.hpp"
#include "tests/support/quarter_meter.hpp"
#include "tests/worker/driver/engine_fixture.hpp"

namespace ba::driver {
namespace {

/// A model that looks `looks` times, at a table, before it answers.
class EngineSavingsTest : public EngineTest {
 protected:
  static constexpr InputPrices kPrices{3'000'000, 300'000, 3'750'000};
  static constexpr std::int64_t kMillion = 1'000'000;

  EngineSavingsTest() {
    ports_.meter = &meter_;
    ports_.compression.refocus.every_steps = 0;
    ports_.compression.mode = CompressionMode::Extract;
    OrderedJson rows = OrderedJson::array();
    for (int i = 0; i < 40; ++i) rows.push_back({{"id", i}, {"name", "plane"}});
    tool_->data = rows.dump();
    plain_result_ = plain_text(rows);
    model_.prices = kPrices;
    model_.script = [this](const ModelRequest& request) { return reply_to(request); };
    model_.delay = 100ms;
    window(1'000'000);
  }

  void window(std::int64_t tokens) {
    RunProfile profile;
    profile.model = "two-step";
    profile.tell_time = false;  // a plain loop says no date
    profile.tools = registry_.specs({});
    profile.limits.steps_per_round_max = 60;
    agents_ = AgentDirectory({profile}, {{"two-step", tokens}});
  }

  std::int64_t count(std::string_view text) { return meter_.count("any", text); }
  std::int64_t tokens_of(const Message& message) {
    return message_tokens(message, [this](std::string_view text) { return count(text); });
  }

  AiMessage look(int number) const {
    AiMessage reply;
    reply.text = std::string(400, 'x');
    ToolCall call;
    call.id = ToolCallId("call_" + std::to_string(number));
    call.name = "look";
    reply.tool_calls.push_back(call);
    return reply;
  }

  AiMessage reply_to(const ModelRequest& request) {
    fixed_ = count(request.system);
    for (const ToolSpec& tool : request.tools)
      fixed_ += count(tool.name) + count(tool.description) + count(tool.parameters_schema);
    std::int64_t sent = fixed_;
    int looks_so_far = 0;
    reminders_sent_last_ = 0;
    for (const Message* message : request.messages) {
      sent += tokens_of(*message);
      if (is_reminder(*message)) {
        reminder_tokens_sent_ += tokens_of(*message);
        ++reminders_sent_last_;
      }
      const auto* ai = std::get_if<AiMessage>(message);
      if (ai && !ai->tool_calls.empty())
        looks_so_far = std::stoi(ai->tool_calls[0].id.value.substr(5)) + 1;
    }
    AiMessage reply;
    reply.text = request.model == "small" ? "What was said: little." : "the answer";
    if (request.model != "small" && looks_so_far < looks_) reply = look(looks_so_far);
    reply.usage.cache_read_tokens = sent / 2;
    reply.usage.cache_write_tokens = sent / 5;
    model_.input_tokens = sent - sent / 2 - sent / 5;
    return reply;
  }

  /// Of one job that asks nothing else.
  std::int64_t bill_of_plain_loop() {
    HumanMessage question;
    question.text = job_messages_.at(0);
    ToolMessage result;
    result.tool_name = "look";
    result.content = plain_result_;
    const std::int64_t step = tokens_of(look(0)) + tokens_of(result);
    std::int64_t tokens = 0;
    for (int call = 0; call <= looks_; ++call) tokens += fixed_ + tokens_of(question) + call * step;
    return tokens * kPrices.input / kMillion;
  }

  const JobTotals& totals(const std::string& id) { return job(id).finished->result.totals; }

  void expect_saved_as_told(const std::string& id) {
    const JobTotals& told = totals(id);
    EXPECT_TRUE(told.cost_known);
    const std::int64_t rounded = 2 * (looks_ + 1 + model_.asked);  // micro-dollars
    EXPECT_NEAR(static_cast<double>(told.cost_micro_usd + told.savings.total().micro_usd),
                static_cast<double>(bill_of_plain_loop()), static_cast<double>(rounded));
  }

  QuarterMeter meter_;
  std::string plain_result_;
  std::int64_t fixed_ = 0;  ///< tokens of system prompt and tools
  int looks_ = 12;
  std::int64_t reminder_tokens_sent_ = 0;  ///< with all calls
  int reminders_sent_last_ = 0;            ///< with the last one
};

TEST_F(EngineSavingsTest, AreThePlainLoopsBillLessTheJobs) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  expect_saved_as_told("a");
  const Savings& savings = totals("a").savings;
  EXPECT_GT(savings.encoding.tokens, 0);
  EXPECT_GT(savings.cache.micro_usd, 0);
  EXPECT_EQ(savings.compression, Saving{});
  EXPECT_EQ(savings.shared_results, Saving{});
}

TEST_F(EngineSavingsTest, HaveWhatCompressionLeftOut) {
  window(3'000);
  looks_ = 30;
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  ASSERT_FALSE(job("a").compressions.empty());
  expect_saved_as_told("a");
  EXPECT_GT(totals("a").savings.compression.tokens, 0);
}

/// A summary is paid for; a plain loop has none.
TEST_F(EngineSavingsTest, AreLessWhatSummariesCost) {
  window(3'000);
  looks_ = 50;
  ports_.compression.mode = CompressionMode::Summarize;
  ports_.compression.summary.model = "small";
  ports_.compression.summary.cost_micro_usd_per_hour = 1'000'000'000;
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  expect_saved_as_told("a");
}

/// A plain loop has none: those that are sent cost, and those that were dropped would have.
TEST_F(EngineSavingsTest, HaveNothingOfRemindersThatWereDropped) {
  window(3'000);
  looks_ = 30;
  ports_.compression.refocus.every_steps = 2;
  job_messages_ = {"how many? " + std::string(400, 'q')};  // a reminder repeats it
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  ASSERT_GT(job("a").compressions.size(), 1U);
  ASSERT_LT(reminders_sent_last_, 10) << "of fifteen, the others were dropped";
  const JobTotals& told = totals("a");
  const std::int64_t reminded = reminder_tokens_sent_ * kPrices.input / kMillion;
  const std::int64_t rounded = 2 * (looks_ + 1 + model_.asked);  // micro-dollars
  EXPECT_NEAR(static_cast<double>(told.cost_micro_usd + told.savings.total().micro_usd),
              static_cast<double>(bill_of_plain_loop() + reminded), static_cast<double>(rounded));
}

/// Whoever goes on with a job finds the sums in its rows.
TEST_F(EngineSavingsTest, AreTheSameAfterACrashAnywhere) {
  window(3'000);
  looks_ = 24;
  auto undisturbed = begin();
  undisturbed->engine->take(records({"job-00"}));  // extracts name the job: all are as long
  ASSERT_TRUE(run_until_finished(1));
  undisturbed->engine->drop();
  ASSERT_FALSE(job("job-00").compressions.empty());
  const Savings expected = totals("job-00").savings;
  for (int step = 1; step <= looks_; step += 3) {
    const std::string id = "job-" + std::to_string(10 + step);
    auto first = begin();
    first->engine->take(records({id}));
    const auto replied = [&] {
      const FakeJob* found = ledger_.find_job(TenantId("acme"), JobId(id));
      return found != nullptr && found->steps.size() == static_cast<std::size_t>(step);
    };
    ASSERT_TRUE(executor_.run_until(replied, 60s));
    auto second = taken_over_from(*first);
    const int before = finished();
    ASSERT_TRUE(run_until_finished(before + 1));
    second->engine->drop();
    EXPECT_EQ(totals(id).savings, expected) << step;
  }
}

/// The results of the first job go with each call of the second.
TEST_F(EngineSavingsTest, AJobSavesWhatEarlierResultsOfItsConversationAreShorterBy) {
  looks_ = 1;
  for (const char* id : {"a", "b"}) {
    const int before = finished();
    auto life = begin();
    life->engine->take(records({id}, "talk"));
    ASSERT_TRUE(run_until_finished(before + 1));
    life->engine->drop();
  }
  const std::int64_t result = totals("a").savings.encoding.tokens;
  EXPECT_GT(result, 0);
  EXPECT_EQ(totals("b").savings.encoding.tokens, result)
      << "it has found all it needs in the history, with one call";
  EXPECT_EQ(job("b").steps.size(), 1U);
}

TEST_F(EngineSavingsTest, WithoutPricesAreTokensAlone) {
  model_.prices.reset();
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_GT(totals("a").savings.encoding.tokens, 0);
  EXPECT_GT(totals("a").savings.cache.tokens, 0);
  EXPECT_EQ(totals("a").savings.total().micro_usd, 0);
}

}  // namespace
}  // namespace ba::driver
