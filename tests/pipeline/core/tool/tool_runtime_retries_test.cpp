// SPDX-License-Identifier: Apache-2.0
// When a call is made again, and what is said of one that may have happened.
#include "tests/pipeline/core/tool/tool_runtime_fixture.hpp"

namespace ba {
namespace {

using Answer = FakeTool::Answer;

TEST_F(Runtime, RetriesWhatMayPassAndCountsIt) {
  const ToolResult result = run({FakeTool::failed(ToolErrorType::TransientError),
                                 FakeTool::failed(ToolErrorType::RateLimit), FakeTool::ok("1")});
  EXPECT_EQ(result.state, ToolCallState::Succeeded);
  EXPECT_EQ(result.retry_count, 2);
  EXPECT_EQ(result.duration, Milliseconds(1 + 1000 + 1 + 1500 + 1));
}

TEST_F(Runtime, TellsOfEachRetryBeforeItWaits) {
  std::vector<std::string> told;
  request.retrying = [&](const ToolRetry& retry) {
    told.push_back(std::to_string(retry.tries) + " " + retry.error->code + " " +
                   std::to_string(retry.delay.count()) + " " +
                   std::to_string(retry.timeout / descriptor.timeout));
  };
  run({FakeTool::failed(ToolErrorType::TransientError, "A"),
       FakeTool::failed(ToolErrorType::Timeout, "B"), FakeTool::ok("1")});
  EXPECT_EQ(told, (std::vector<std::string>{"1 A 1000 1", "2 B 1500 2"}));
}

Answer busy_for(Milliseconds asked) {
  Answer answer = FakeTool::failed(ToolErrorType::RateLimit);
  add_retry_after(answer.result, asked);
  return answer;
}

TEST_F(Runtime, WaitsAsLongAsItIsAskedToButNeverShorterThanItWould) {
  const ToolResult result =
      run({busy_for(Milliseconds(7000)), busy_for(Milliseconds(10)), FakeTool::ok("1")});
  EXPECT_EQ(result.state, ToolCallState::Succeeded);
  EXPECT_EQ(result.duration, Milliseconds(1 + 7350 + 1 + 1500 + 1)) << "the asked wait is spread";
}

TEST_F(Runtime, DoesNotRetryEarlierThanItIsAskedTo) {
  const ToolResult result = run({busy_for(Milliseconds(10'001)), FakeTool::ok("1")});
  EXPECT_EQ(result.retry_count, 0) << "no delay is longer than 10 s";
  EXPECT_EQ(result.error->type, ToolErrorType::RateLimit);
  EXPECT_EQ(result.error->message, "text. It asks for a wait of 11 s");
  descriptor.name = request.call.name = "short";
  descriptor.timeout = Milliseconds(2000);
  EXPECT_EQ(run({busy_for(Milliseconds(2001)), FakeTool::ok("1")}).retry_count, 0);
}

TEST_F(Runtime, GivesUpAfterThreeRetriesWithTheLastError) {
  const ToolResult result = run({FakeTool::failed(ToolErrorType::ResourceError, "A"),
                                 FakeTool::failed(ToolErrorType::ResourceError, "B")});
  EXPECT_EQ(result.state, ToolCallState::Failed);
  EXPECT_EQ(record.invocations.size(), 4u);
  EXPECT_EQ(result.retry_count, 3);
  EXPECT_EQ(result.error->code, "B");
}

TEST_F(Runtime, SendsTheSameIdempotencyKeyWithEachTry) {
  descriptor.effect = EffectClass::Keyed;
  run({FakeTool::failed(ToolErrorType::TransientError), FakeTool::ok("1")});
  ASSERT_EQ(record.invocations.size(), 2u);
  EXPECT_EQ(record.invocations[0].idempotency_key, record.invocations[1].idempotency_key);
}

TEST_F(Runtime, NeverRetriesAPermanentError) {
  for (const ToolErrorType type :
       {ToolErrorType::PermissionDenied, ToolErrorType::InvalidParameters, ToolErrorType::NotFound,
        ToolErrorType::ValidationError, ToolErrorType::ExecutionError, ToolErrorType::InternalError,
        ToolErrorType::DependencyError}) {
    descriptor.name = "t" + std::to_string(static_cast<int>(type));
    request.call.name = descriptor.name;
    EXPECT_EQ(run({FakeTool::failed(type)}).retry_count, 0);
  }
}

TEST_F(Runtime, NeverRetriesAToolThatIsNotSafeToRepeat) {
  for (const EffectClass effect : {EffectClass::Once, EffectClass::Reconcilable}) {
    descriptor.effect = effect;
    descriptor.name = request.call.name = std::string(to_string(effect));
    EXPECT_EQ(run({FakeTool::failed(ToolErrorType::TransientError)}).retry_count, 0);
  }
}

TEST_F(Runtime, DoesNotRetryWhatTheToolKnowsToBeUseless) {
  Answer answer = FakeTool::failed(ToolErrorType::Timeout, "TIMEOUT");
  answer.result.retry_useless = true;
  EXPECT_EQ(run({answer}).retry_count, 0);
}

TEST_F(Runtime, RetriesOnlyTheConfiguredTypes) {
  config.retry.retry_on = {ToolErrorType::Timeout};
  EXPECT_EQ(run({FakeTool::failed(ToolErrorType::RateLimit)}).retry_count, 0);
}

// ---- timeouts ----------------------------------------------------------------------------------

TEST_F(Runtime, CancelsAToolThatTakesTooLongAndSaysSo) {
  descriptor.timeout = Milliseconds(50);
  config.retry.max_retries = 0;
  const ToolResult result = run({FakeTool::ok("1", Milliseconds(5000))});
  EXPECT_EQ(record.cancelled, 1);
  EXPECT_EQ(result.state, ToolCallState::Failed);
  EXPECT_EQ(result.error->type, ToolErrorType::Timeout);
  EXPECT_EQ(result.error->code, "TIMEOUT");
  EXPECT_EQ(result.error->message, "Tool execution timed out after 50ms");
}

TEST_F(Runtime, DoublesTheTimeoutWithEachRetryAfterOne) {
  descriptor.timeout = Milliseconds(100000);
  const ToolResult result = run({FakeTool::ok("1", Milliseconds(400000))});
  ASSERT_EQ(record.invocations.size(), 4u);
  EXPECT_EQ(record.invocations[1].timeout, Milliseconds(200000));
  EXPECT_EQ(record.invocations[2].timeout, Milliseconds(300000));
  EXPECT_EQ(record.invocations[3].timeout, Milliseconds(300000));
  EXPECT_EQ(record.cancelled, 4);
  EXPECT_EQ(result.error->message, "Tool execution timed out after 300000ms");
}

TEST_F(Runtime, DoesNotRetryATimeoutOfACallThatSaysSo) {
  request.retry_on_timeout = false;
  const ToolResult result = run({FakeTool::failed(ToolErrorType::Timeout, "TIMEOUT")});
  EXPECT_FALSE(record.invocations.at(0).retry_on_timeout);
  EXPECT_EQ(record.invocations.size(), 1u);
  EXPECT_EQ(result.error->type, ToolErrorType::Timeout);
}

TEST_F(Runtime, DoesNotRetryATimeoutOfAToolThatSaysSo) {
  descriptor.retry_on_timeout = false;
  descriptor.timeout = Milliseconds(50);
  EXPECT_EQ(run({FakeTool::ok("1", Milliseconds(5000))}).retry_count, 0);
  EXPECT_EQ(record.invocations.size(), 1u);
}

TEST_F(Runtime, RetriesOtherErrorsOfACallWhoseTimeoutsAreNotRetried) {
  request.retry_on_timeout = false;
  run({FakeTool::failed(ToolErrorType::RateLimit), FakeTool::ok("1")});
  EXPECT_EQ(record.invocations.size(), 2u);
}

TEST_F(Runtime, LeavesTheTimeoutAfterOtherErrors) {
  run({FakeTool::failed(ToolErrorType::TransientError), FakeTool::ok("1")});
  EXPECT_EQ(record.invocations[1].timeout, Milliseconds(120000));
}

// ---- what is not known -------------------------------------------------------------------------

TEST_F(Runtime, SaysThatAnOutcomeIsUnknown) {
  descriptor.effect = EffectClass::Once;
  const ToolResult result = run({FakeTool::unknown()});
  EXPECT_EQ(result.state, ToolCallState::Unknown);
  EXPECT_EQ(result.retry_count, 0);
  EXPECT_TRUE(result.observation.starts_with("Outcome unknown."));
  EXPECT_FALSE(result.error);
}

TEST_F(Runtime, AsksAKeyedToolAgainWhenItsOutcomeIsUnknown) {
  descriptor.effect = EffectClass::Keyed;
  EXPECT_EQ(run({FakeTool::unknown(), FakeTool::ok("1")}).state, ToolCallState::Succeeded);
}

TEST_F(Runtime, ATimedOutCallThatHasEffectsMayHaveHadThem) {
  descriptor.effect = EffectClass::Once;
  descriptor.timeout = Milliseconds(50);
  const ToolResult result = run({FakeTool::ok("1", Milliseconds(5000))});
  EXPECT_EQ(result.state, ToolCallState::Unknown);
  EXPECT_TRUE(result.observation.starts_with("Outcome unknown."));
  EXPECT_NE(result.observation.find("Last heard: TIMEOUT: Tool execution timed out after 50ms"),
            std::string::npos);
  EXPECT_EQ(result.error->code, "TIMEOUT");
  EXPECT_EQ(record.cancelled, 1);
  EXPECT_EQ(record.invocations.size(), 1u);
}

TEST_F(Runtime, SaysThatAKeyedCallFailedOnlyWhenNoRunOfItCanHaveHappened) {
  descriptor.effect = EffectClass::Keyed;
  const Answer lost = FakeTool::unknown();
  const Answer refused = FakeTool::failed(ToolErrorType::PermissionDenied);
  Answer refused_for_good = refused;
  refused_for_good.result.never_happened = true;
  const std::vector<std::pair<std::deque<Answer>, ToolCallState>> cases{
      {{refused}, ToolCallState::Failed},
      {{lost, refused}, ToolCallState::Unknown},
      {{lost, refused_for_good}, ToolCallState::Failed},
      {{lost, FakeTool::failed(ToolErrorType::TransientError)}, ToolCallState::Unknown},
      {{FakeTool::failed(ToolErrorType::TransientError), lost}, ToolCallState::Unknown}};
  for (const auto& [answers, state] : cases) {
    descriptor.name = request.call.name = "t" + std::to_string(&answers - &cases.front().first);
    EXPECT_EQ(run(answers).state, state) << request.call.name;
  }
}

// ---- what an earlier attempt may have started --------------------------------------------------

TEST_F(Runtime, RunsAKeyedCallThatWasStartedBeforeAgain) {
  descriptor.effect = EffectClass::Keyed;
  request.maybe_done = true;
  EXPECT_EQ(run({FakeTool::ok("1")}).state, ToolCallState::Succeeded);
  EXPECT_EQ(record.invocations.at(0).idempotency_key, "key");
}

TEST_F(Runtime, DoesNotKnowWhatBecameOfAKeyedCallThatCannotBeRepeated) {
  descriptor.effect = EffectClass::Keyed;
  request.maybe_done = true;
  EXPECT_EQ(run({FakeTool::failed(ToolErrorType::DependencyError)}).state, ToolCallState::Unknown);
}

TEST_F(Runtime, DoesNotKnowWhatBecameOfAStartedCallOfAToolThatIsGone) {
  request.maybe_done = true;
  request.call.name = "gone";
  EXPECT_EQ(run({FakeTool::ok("1")}).state, ToolCallState::Unknown);
  request.maybe_done = false;
  descriptor.name = "other";
  EXPECT_EQ(run({FakeTool::ok("1")}).state, ToolCallState::Failed);
}

TEST_F(Runtime, NeverRunsAStartedCallOfAToolThatIsNowDeclaredOnce) {
  descriptor.effect = EffectClass::Once;
  request.maybe_done = true;
  EXPECT_EQ(run({FakeTool::ok("1")}).state, ToolCallState::Unknown);
  EXPECT_TRUE(record.invocations.empty());
}

}  // namespace
}  // namespace ba
