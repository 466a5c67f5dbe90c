// SPDX-License-Identifier: Apache-2.0
// Jobs that were made from old ones and outgrow their window: which compressions are their own.
#include <gmock/gmock.h>

#include "tests/support/quarter_meter.hpp"
#include "tests/worker/driver/engine_fixture.hpp"

namespace ba::driver {
namespace {

using testing::HasSubstr;

class EngineForkTest : public EngineTest {
 protected:
  EngineForkTest() {
    RunProfile profile;
    profile.model = "two-step";
    profile.tools = registry_.specs({});
    profile.limits.steps_per_round_max = 100;
    agents_ = AgentDirectory({profile}, {{"two-step", 3'000}});
    ports_.meter = &meter_;
    ports_.compression.mode = CompressionMode::Extract;
    ports_.compression.refocus.every_steps = 0;
    model_.script = [this](const ModelRequest& request) { return reply_to(request); };
    model_.delay = 100ms;
  }

  /// Of each round, as many calls as `looks` says, with a long text each, and the answer.
  std::optional<AiMessage> reply_to(const ModelRequest& request) {
    int called = 0;
    for (const Message* message : request.messages) {
      if (std::holds_alternative<HumanMessage>(*message)) called = 0;
      const auto* ai = std::get_if<AiMessage>(message);
      if (ai && !ai->tool_calls.empty()) called = std::stoi(ai->tool_calls[0].id.value.substr(5));
    }
    asked_after_ = called;
    AiMessage reply;
    if (called == looks) {
      reply.text = "the answer";
      return reply;
    }
    ToolCall call;
    call.id = ToolCallId("call_" + std::to_string(called + 1));
    call.name = "look";
    reply.text = std::string(700, 'x');
    reply.tool_calls.push_back(call);
    return reply;
  }

  bool run_until_ended(const std::string& id) {
    return executor_.run_until(
        [&] {
          const FakeJob* found = ledger_.find_job(TenantId("acme"), JobId(id));
          return found != nullptr && found->finished;
        },
        60s);
  }

  /// The model can't be reached when it is asked after so many calls: what was done is whole.
  void run_until_failed(const std::string& id, int calls) {
    auto life = begin();
    life->engine->take(records({id}));
    ASSERT_TRUE(executor_.run_until([&] { return asked_after_ == calls; }, 60s));
    model_.losses = model_.tries_max;
    ASSERT_TRUE(run_until_ended(id));
    ASSERT_EQ(job(id).finished->result.outcome, Outcome::ModelError);
    life->engine->drop();
  }

  void fork(const std::string& source, const std::string& made, std::optional<int> from_round) {
    storage::JobCopy copy;
    copy.source = {TenantId("acme"), JobId(source)};
    copy.job = job(source).intake;
    copy.job.job.job_id = JobId(made);
    copy.job.job.conversation_id = ConversationId("job:" + made);
    copy.job.payload = encode_job(copy.job.job);
    copy.from_round = from_round;
    const auto rows = ledger_.copy_job(copy);
    ASSERT_TRUE(rows) << rows.error().message;
  }

  void run_until_completed(const std::string& id) {
    ASSERT_TRUE(run_until_ended(id));
    ASSERT_EQ(job(id).finished->result.outcome, Outcome::Completed);
  }

  int compressions(const std::string& id) { return static_cast<int>(job(id).compressions.size()); }

  /// In the ledger as in its report; all after that place.
  void expect_own_compressions(const std::string& id, int round, int step) {
    ASSERT_GT(compressions(id), 0) << "nothing to count";
    EXPECT_GT(job(id).compressions.begin()->first, (Position{round, step, 0}));
    EXPECT_THAT(job(id).finished->metrics_json,
                HasSubstr("\"compression_events\":" + std::to_string(compressions(id)) + ","));
  }

  QuarterMeter meter_;
  int looks = 40;
  int asked_after_ = -1;  ///< calls of the round, as of the last request
};

TEST_F(EngineForkTest, CompressionsBeforeTheForkAreItsSourcesAndThoseAfterItItsOwn) {
  ASSERT_NO_FATAL_FAILURE(run_until_failed("a", 20));
  ASSERT_NO_FATAL_FAILURE(expect_own_compressions("a", 0, 0));
  EXPECT_EQ(observer_.compressions, compressions("a"));
  fork("a", "b", std::nullopt);
  auto life = begin();
  ASSERT_NO_FATAL_FAILURE(run_until_completed("b"));
  ASSERT_EQ(job("b").copied_step, 20);
  expect_own_compressions("b", 0, 20);
  EXPECT_EQ(observer_.compressions, compressions("a") + compressions("b")) << "each was told once";

  auto undisturbed = begin();
  undisturbed->engine->take(records({"c"}));
  ASSERT_NO_FATAL_FAILURE(run_until_completed("c"));
  EXPECT_EQ(compressions("a") + compressions("b"), compressions("c")) << "none is missing";
}

TEST_F(EngineForkTest, OneThatIsTakenOverHasItsOwnOfAllItsWorkers) {
  ASSERT_NO_FATAL_FAILURE(run_until_failed("a", 20));
  fork("a", "b", std::nullopt);
  auto life = begin();
  ASSERT_TRUE(executor_.run_until([&] { return compressions("b") > 0; }, 60s));
  const int before = compressions("b");
  life = taken_over_from(*life);
  ASSERT_NO_FATAL_FAILURE(run_until_completed("b"));
  expect_own_compressions("b", 0, 20);
  EXPECT_GT(compressions("b"), before);
}

TEST_F(EngineForkTest, OneThatIsCancelledBeforeItsFirstReplyHasNone) {
  ASSERT_NO_FATAL_FAILURE(run_until_failed("a", 20));
  fork("a", "b", std::nullopt);
  ASSERT_TRUE(control("b", JobAction::Cancel));
  auto life = begin();
  ASSERT_TRUE(run_until_ended("b"));
  EXPECT_THAT(job("b").finished->metrics_json, testing::Not(HasSubstr("compression_events")));
}

TEST_F(EngineForkTest, OneFromARoundOnHasThoseOfItsOwnRounds) {
  looks = 20;
  job_messages_ = {"how many?", "and now?"};
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_NO_FATAL_FAILURE(run_until_completed("a"));
  fork("a", "b", 1);
  ASSERT_NO_FATAL_FAILURE(run_until_completed("b"));
  ASSERT_EQ(job("b").copied_rounds, 1);
  expect_own_compressions("b", 0, looks + 1);
  EXPECT_LT(compressions("b"), compressions("a"));
  EXPECT_EQ(observer_.compressions, compressions("a") + compressions("b"));
}

}  // namespace
}  // namespace ba::driver
