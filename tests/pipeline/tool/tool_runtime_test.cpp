// SPDX-License-Identifier: Apache-2.0
#include "pipeline/tool/tool_runtime.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "tests/support/fake_tool.hpp"
#include "tests/support/fixed_random.hpp"
#include "tests/support/virtual_executor.hpp"

namespace ba {
namespace {

using Answer = FakeTool::Answer;

class Runtime : public testing::Test {
 protected:
  Runtime() {
    descriptor.name = "query";
    descriptor.effect = EffectClass::Pure;
    descriptor.parameters_schema =
        R"({"properties":{"n":{"type":"integer","default":7}},"additionalProperties":false})";
    request.call.id = ToolCallId("call_1");
    request.call.name = "query";
    request.tenant = TenantId("acme");
    request.caller_id = "default";
    request.job = LedgerJobId(12);
    request.position = {0, 2, 1};
    request.idempotency_key = "key";
  }

  /// Registers the tool, runs the request to its end and gives its result.
  ToolResult run(std::deque<Answer> answers) {
    record.answers = std::move(answers);
    std::optional<ToolResult> result;
    handle = make_runtime().run(request, [&](ToolResult value) { result = std::move(value); });
    EXPECT_FALSE(result) << "answered from inside run()";
    time.run();
    EXPECT_TRUE(result);
    EXPECT_EQ(time.pending(), 0u);
    return result.value_or(ToolResult{});
  }

  ToolRuntime& make_runtime() {
    EXPECT_TRUE(registry.add(std::make_unique<FakeTool>(time, descriptor, record)));
    return runtime.emplace(registry, config, time, time, random);
  }

  VirtualExecutor time;
  FixedRandom random;
  ToolDescriptor descriptor;
  FakeTool::Record record;
  ToolRegistry registry;
  ToolRuntimeConfig config;
  ToolRequest request;
  std::optional<ToolRuntime> runtime;
  std::unique_ptr<ToolRun> handle;
};

// ---- success -----------------------------------------------------------------------------------

TEST_F(Runtime, GivesOneObservationOfASuccess) {
  const ToolResult result = run({FakeTool::ok(R"({"rows":[1]})", Milliseconds(40))});
  EXPECT_EQ(result.tool_call_id, ToolCallId("call_1"));
  EXPECT_EQ(result.state, ToolCallState::Succeeded);
  EXPECT_EQ(result.observation, "{\n  \"rows\": [\n    1\n  ]\n}");
  EXPECT_EQ(result.output_level, OutputLevel::Standard);
  EXPECT_EQ(result.data_size_bytes, 12);
  EXPECT_EQ(result.data_summary, "Dictionary with 1 keys. Top keys: rows");
  EXPECT_EQ(result.duration, Milliseconds(40));
  EXPECT_EQ(result.retry_count, 0);
  EXPECT_FALSE(result.error);
}

TEST_F(Runtime, HandsTheToolCheckedParametersAndTheIdentityOfTheCall) {
  request.call.args_json = R"({"output_level":"brief"})";
  EXPECT_EQ(run({FakeTool::ok("[1,2]")}).observation, "Found 2 items");
  ASSERT_EQ(record.invocations.size(), 1u);
  const ToolInvocation& asked = record.invocations[0];
  EXPECT_EQ(asked.parameters, R"({"n":7})");
  EXPECT_EQ(asked.output_level, OutputLevel::Brief);
  EXPECT_EQ(asked.timeout, Milliseconds(120000));
  EXPECT_EQ(asked.tenant, TenantId("acme"));
  EXPECT_EQ(asked.caller_id, "default");
  EXPECT_EQ(asked.tool_version, "1.0.0");
  EXPECT_EQ(asked.idempotency_key, "key");
  EXPECT_EQ(asked.position, (Position{0, 2, 1}));
}

TEST_F(Runtime, IsBriefWhenTheWindowIsNearlyFull) {
  request.window_used = 0.9;
  EXPECT_EQ(run({FakeTool::ok("[1,2]")}).observation, "Found 2 items");
}

TEST_F(Runtime, PrefersTheToolsOwnLevelToTheWindow) {
  request.window_used = 0.9;
  descriptor.default_level = OutputLevel::Full;
  EXPECT_EQ(run({FakeTool::ok("[1]")}).observation, "[\n  1\n]");
}

TEST_F(Runtime, EncodesDataAsConfigured) {
  config.encoding = DataEncoding::Compact;
  config.stable_prefix = true;
  EXPECT_EQ(run({FakeTool::ok(R"({"rows":[1]})")}).observation,
            "<tool_result name=\"" + descriptor.name + "\">\nrows[1]: 1");
}

TEST_F(Runtime, PrefersTheToolsOwnEncoding) {
  config.encoding = DataEncoding::Compact;
  descriptor.encoding = DataEncoding::Yaml;
  EXPECT_EQ(run({FakeTool::ok(R"({"rows":[1]})")}).observation, "rows:\n- 1");
}

TEST_F(Runtime, CutsAnObservationAtItsLimit) {
  config.observation_bytes_max = 100;
  request.call.args_json = R"({"output_level":"full"})";
  const ToolResult result = run({FakeTool::ok("\"" + std::string(1000, 'x') + "\"")});
  EXPECT_EQ(result.observation,
            "\"" + std::string(99, 'x') + "\n… [cut: the first 100 of 1002 bytes]");
  EXPECT_EQ(result.data_size_bytes, 1002);
}

TEST_F(Runtime, CutsAnErrorThatQuotesItsInput) {
  const ToolResult result =
      run({FakeTool::failed(ToolErrorType::NotFound, "GONE", std::string(100'000, 'x'))});
  EXPECT_EQ(result.error->message, std::string(8000, 'x') + "…");
  EXPECT_LT(result.observation.size(), 9000u);
}

TEST_F(Runtime, ReportsAToolThatDeliversNoJson) {
  const ToolResult result = run({FakeTool::ok("not json")});
  EXPECT_EQ(result.state, ToolCallState::Failed);
  EXPECT_EQ(result.error->type, ToolErrorType::InternalError);
  EXPECT_EQ(result.error->code, "INVALID_TOOL_RESULT");
}

TEST_F(Runtime, DoesNotSayThatAToolWithEffectsFailedWhenItRanAndAnsweredNoJson) {
  descriptor.effect = EffectClass::Once;
  const ToolResult result = run({FakeTool::ok("not json")});
  EXPECT_EQ(result.state, ToolCallState::Unknown);
  EXPECT_EQ(result.error->code, "INVALID_TOOL_RESULT");
  EXPECT_EQ(record.invocations.size(), 1u);
}

// ---- refusals: nothing runs --------------------------------------------------------------------

TEST_F(Runtime, AnswersAnUnknownToolWithTheNamesThereAre) {
  request.call.name = "querry";
  const ToolResult result = run({});
  EXPECT_EQ(result.state, ToolCallState::Failed);
  EXPECT_EQ(result.observation,
            "Operation failed.\n\nError Type: not_found\nError Code: TOOL_NOT_FOUND\n"
            "Error Message: There is no tool 'querry'. Available tools: query\n\n"
            "Tool Call ID: call_1");
}

TEST_F(Runtime, AnswersInvalidArgumentsWithTheReason) {
  request.call.args_error = "the arguments are not valid JSON: unexpected end at byte 3";
  const ToolResult result = run({});
  EXPECT_EQ(result.error->type, ToolErrorType::InvalidParameters);
  EXPECT_EQ(result.error->code, "INVALID_JSON");
  EXPECT_EQ(result.error->message, request.call.args_error);
}

TEST_F(Runtime, AnswersArgumentsAgainstTheSchema) {
  request.call.args_json = R"({"n":"x"})";
  const ToolResult result = run({});
  EXPECT_EQ(result.error->type, ToolErrorType::InvalidParameters);
  EXPECT_EQ(result.error->code, "INVALID_PARAMETERS");
  EXPECT_EQ(result.error->message, "n: \"x\" is not allowed; expected integer");
}

TEST_F(Runtime, RefusesInputAboveTheLimit) {
  config.max_input_mb = 1;
  request.call.args_json = R"({"n":1})" + std::string(1024 * 1024, ' ');
  const ToolResult result = run({});
  EXPECT_EQ(result.error->type, ToolErrorType::InvalidParameters);
  EXPECT_TRUE(record.invocations.empty());
}

TEST_F(Runtime, TakesTenMebibytesOfInputAndNotAByteMore) {
  request.call.args_json = R"({"n":1})" + std::string(10 * 1024 * 1024 - 7, ' ');
  EXPECT_EQ(run({FakeTool::ok("1")}).state, ToolCallState::Succeeded);
  descriptor.name = request.call.name = "again";
  request.call.args_json += ' ';
  const ToolResult result = run({FakeTool::ok("1")});
  EXPECT_EQ(result.error->type, ToolErrorType::InvalidParameters);
  EXPECT_EQ(record.invocations.size(), 1u);
}

TEST_F(Runtime, RefusesAToolOutsideTheAllowedOnes) {
  request.allowed = std::set<std::string>{"other"};
  const ToolResult result = run({});
  EXPECT_EQ(result.error->type, ToolErrorType::PermissionDenied);
  EXPECT_EQ(result.error->code, "TOOL_NOT_ALLOWED");
  EXPECT_TRUE(record.invocations.empty());
}

TEST_F(Runtime, RefusesATooLowPermission) {
  descriptor.permission = PermissionLevel::Admin;
  const ToolResult result = run({});
  EXPECT_EQ(result.error->type, ToolErrorType::PermissionDenied);
  EXPECT_EQ(result.error->message,
            "The tool 'query' needs permission level admin; this caller has default");
  EXPECT_TRUE(record.invocations.empty());
}

TEST_F(Runtime, AllowsTheSamePermissionOrMoreOfRestrictedDefaultAndAdmin) {
  const std::vector<PermissionLevel> rising{PermissionLevel::Restricted, PermissionLevel::Default,
                                            PermissionLevel::Admin};
  for (std::size_t has = 0; has < rising.size(); ++has)
    for (std::size_t needs = 0; needs < rising.size(); ++needs) {
      request.permission = rising[has];
      descriptor.permission = rising[needs];
      descriptor.name = request.call.name = "t" + std::to_string(has) + std::to_string(needs);
      EXPECT_EQ(run({FakeTool::ok("1")}).state,
                has >= needs ? ToolCallState::Succeeded : ToolCallState::Failed)
          << has << " " << needs;
    }
}

// ---- retries -----------------------------------------------------------------------------------

TEST_F(Runtime, RetriesWhatMayPassAndCountsIt) {
  const ToolResult result = run({FakeTool::failed(ToolErrorType::TransientError),
                                 FakeTool::failed(ToolErrorType::RateLimit), FakeTool::ok("1")});
  EXPECT_EQ(result.state, ToolCallState::Succeeded);
  EXPECT_EQ(result.retry_count, 2);
  EXPECT_EQ(result.duration, Milliseconds(1 + 1000 + 1 + 1500 + 1));
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

class Reconciling : public Runtime {
 protected:
  Reconciling() {
    descriptor.effect = EffectClass::Reconcilable;
    request.maybe_done = true;
  }

  ToolResult resume(std::deque<EffectStatus> statuses) {
    record.statuses = std::move(statuses);
    return run({FakeTool::ok(R"({"run":"again"})")});
  }
};

TEST_F(Reconciling, TakesTheResultOfWhatHappened) {
  const ToolResult result = resume({FakeTool::happened("[1,2]")});
  EXPECT_EQ(result.state, ToolCallState::Succeeded);
  EXPECT_EQ(result.observation, "Found 2 items:\n  - 1\n  - 2");
  EXPECT_EQ(result.retry_count, 0);
  EXPECT_TRUE(record.invocations.empty());
  ASSERT_EQ(record.asked.size(), 1u);
  EXPECT_EQ(record.asked[0].parameters, R"({"n":7})");
  EXPECT_EQ(record.asked[0].idempotency_key, "key");
}

TEST_F(Reconciling, TakesTheErrorOfWhatHappenedWithoutAnotherRun) {
  EffectStatus status = FakeTool::happened("");
  status.result = FakeTool::failed(ToolErrorType::TransientError, "E").result;
  const ToolResult result = resume({status});
  EXPECT_EQ(result.state, ToolCallState::Failed);
  EXPECT_EQ(result.error->code, "E");
  EXPECT_TRUE(record.invocations.empty());
}

TEST_F(Reconciling, RunsWhatDidNotHappen) {
  const ToolResult result = resume({FakeTool::did_not_happen()});
  EXPECT_EQ(result.state, ToolCallState::Succeeded);
  EXPECT_EQ(result.retry_count, 0) << "the first run of this attempt";
  EXPECT_EQ(record.invocations.size(), 1u);
}

TEST_F(Reconciling, DoesNotKnowWhatTheToolCannotTell) {
  EXPECT_EQ(resume({FakeTool::cannot_tell()}).state, ToolCallState::Unknown);
  EXPECT_EQ(record.asked.size(), 1u);
  EXPECT_TRUE(record.invocations.empty());
}

TEST_F(Reconciling, AsksAgainAfterAnErrorThatMayPass) {
  const EffectStatus down = FakeTool::cannot_tell(ToolErrorType::TransientError);
  EXPECT_EQ(resume({down, down, FakeTool::happened("1")}).state, ToolCallState::Succeeded);
  EXPECT_EQ(record.asked.size(), 3u);
}

TEST_F(Reconciling, GivesUpAskingAfterThreeRetriesOrAnErrorForGood) {
  EXPECT_EQ(resume({FakeTool::cannot_tell(ToolErrorType::TransientError)}).state,
            ToolCallState::Unknown);
  EXPECT_EQ(record.asked.size(), 4u);
  record.asked.clear();
  descriptor.name = request.call.name = "other";
  EXPECT_EQ(resume({FakeTool::cannot_tell(ToolErrorType::PermissionDenied)}).state,
            ToolCallState::Unknown);
  EXPECT_EQ(record.asked.size(), 1u);
  EXPECT_TRUE(record.invocations.empty());
}

TEST_F(Reconciling, TakesAStatusThatNeverComesAsAnErrorThatMayPass) {
  descriptor.timeout = Milliseconds(1);  // comes before an answer of the same time
  const ToolResult result = resume({FakeTool::happened("1")});
  EXPECT_EQ(result.state, ToolCallState::Unknown);
  EXPECT_EQ(record.cancelled, 4);
}

TEST_F(Reconciling, AsksWhatBecameOfARunWhoseAnswerWasLost) {
  request.maybe_done = false;
  record.statuses = {FakeTool::happened(R"("done")")};
  const ToolResult result = run({FakeTool::unknown()});
  EXPECT_EQ(result.state, ToolCallState::Succeeded);
  EXPECT_EQ(result.observation, "done");
  EXPECT_EQ(record.invocations.size(), 1u);
}

TEST_F(Reconciling, AsksWhatBecameOfARunThatTookTooLong) {
  request.maybe_done = false;
  descriptor.timeout = Milliseconds(50);
  record.statuses = {FakeTool::did_not_happen()};
  const ToolResult result = run({FakeTool::ok("1", Milliseconds(5000)), FakeTool::ok("2")});
  EXPECT_EQ(result.state, ToolCallState::Succeeded);
  EXPECT_EQ(result.observation, "2");
  EXPECT_EQ(result.retry_count, 1);
  EXPECT_EQ(record.invocations.at(1).timeout, Milliseconds(100));
}

TEST_F(Reconciling, FailsWhenItNeverHappensWithinItsTries) {
  request.maybe_done = false;
  record.statuses = {FakeTool::did_not_happen()};
  const ToolResult result = run({FakeTool::unknown()});
  EXPECT_EQ(result.state, ToolCallState::Failed);
  EXPECT_EQ(result.error->code, "CONNECTION_LOST");
  EXPECT_EQ(record.invocations.size(), 4u);
  EXPECT_EQ(record.asked.size(), 4u);
}

TEST_F(Reconciling, IsNotAskedAboutAnErrorThatSaysWhatHappened) {
  request.maybe_done = false;
  EXPECT_EQ(run({FakeTool::failed(ToolErrorType::TransientError)}).state, ToolCallState::Failed);
  EXPECT_TRUE(record.asked.empty());
  EXPECT_EQ(record.invocations.size(), 1u);
}

// ---- cancellation, and tools that misbehave ----------------------------------------------------

TEST_F(Runtime, CancelsTheToolWhenTheRunIsDestroyed) {
  record.answers = {FakeTool::ok("1")};
  handle = make_runtime().run(request, [](ToolResult) { FAIL() << "an answer after the end"; });
  handle.reset();
  time.run();
  EXPECT_EQ(record.cancelled, 1);
}

TEST_F(Runtime, CancelsARefusalAndAWaitForARetryToo) {
  request.call.name = "none";
  handle = make_runtime().run(request, [](ToolResult) { FAIL() << "an answer after the end"; });
  handle.reset();
  request.call.name = "query";
  record.answers = {FakeTool::failed(ToolErrorType::TransientError), FakeTool::ok("1")};
  handle = runtime->run(request, [](ToolResult) { FAIL() << "an answer after the end"; });
  ASSERT_TRUE(time.run_one());  // the first try fails
  handle.reset();
  time.run();
  EXPECT_EQ(record.invocations.size(), 1u);
}

TEST_F(Runtime, MayBeDestroyedFromInsideItsAnswer) {
  record.answers = {FakeTool::ok("1")};
  bool answered = false;
  handle = make_runtime().run(request, [&](ToolResult) {
    handle.reset();
    answered = true;
  });
  time.run();
  EXPECT_TRUE(answered);
}

class ThrowingTool final : public Tool {
 public:
  explicit ThrowingTool(ToolDescriptor descriptor) : descriptor_(std::move(descriptor)) {}
  const ToolDescriptor& descriptor() const override { return descriptor_; }
  std::unique_ptr<ToolRun> run(ToolInvocation, std::function<void(RawToolResult)>) override {
    throw std::runtime_error("no luck");
  }

 private:
  ToolDescriptor descriptor_;
};

TEST_F(Runtime, TurnsAnExceptionOfAToolIntoAnError) {
  ASSERT_TRUE(registry.add(std::make_unique<ThrowingTool>(descriptor)));
  runtime.emplace(registry, config, time, time, random);
  std::optional<ToolResult> result;
  handle = runtime->run(request, [&](ToolResult value) { result = std::move(value); });
  time.run();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->error->type, ToolErrorType::InternalError);
  EXPECT_EQ(result->error->message, "The tool failed: no luck");
}

// ---- what the driver asks ----------------------------------------------------------------------

TEST_F(Runtime, ConfigurationIsValidated) {
  EXPECT_TRUE(validate(ToolRuntimeConfig{}).empty());
  config.brief_above_window_percent = 0;
  config.max_input_mb = 0;
  config.observation_bytes_max = 1;
  EXPECT_EQ(validate(config),
            (std::vector<std::string>{
                "tools.brief_above_window_percent: 0 is not between 1 and 100",
                "tools.max_input_mb: 0 is not between 1 and 100",
                "tools.observation_bytes_max: 1 is not between 4096 and 1073741824"}));
}

// ---- results of earlier calls ------------------------------------------------------------------

/// Knows one result at most, and keeps what it was asked and given.
class OneResult final : public ResultCache {
 public:
  explicit OneResult(Executor& executor) : executor_(executor) {}

  std::optional<CacheHit> known;
  std::vector<CacheQuestion> asked;
  std::vector<std::string> kept;
  int failed = 0;

  std::unique_ptr<CacheClaim> claim(CacheQuestion question,
                                    std::function<void(CacheAnswer)> done) override {
    asked.push_back(std::move(question));
    auto claim = std::make_unique<Claim>(*this);
    claim->timer = executor_.after(Milliseconds(1), [this, done = std::move(done)] {
      done(known ? CacheAnswer(*known) : CacheAnswer(CacheMiss{}));
    });
    return claim;
  }

 private:
  struct Claim final : CacheClaim {
    explicit Claim(OneResult& owner) : owner(owner) {}
    void keep(std::string data) override { owner.kept.push_back(std::move(data)); }
    void failed() override { ++owner.failed; }
    OneResult& owner;
    std::unique_ptr<Timer> timer;
  };

  Executor& executor_;
};

class NoSql final : public SqlReader {
 public:
  Result<SqlReading> read(std::string_view) const override { return invalid_argument("none"); }
};

class RuntimeWithMemory : public Runtime {
 protected:
  RuntimeWithMemory() {
    descriptor.may_be_cached = true;
    descriptor.cache_policy = CachePolicy::TtlShort;
  }

  ToolResult run(std::deque<Answer> answers) {
    record.answers = std::move(answers);
    if (!runtime) make_runtime().remember({cache, sql});
    std::optional<ToolResult> result;
    handle = runtime->run(request, [&](ToolResult value) { result = std::move(value); });
    EXPECT_FALSE(result) << "answered from inside run()";
    time.run();
    return result.value_or(ToolResult{});
  }

  OneResult cache{time};
  NoSql sql;
};

TEST_F(RuntimeWithMemory, ASuccessIsKeptUnderWhatTheCallMeans) {
  request.call.args_json = R"({"n":1.0})";
  const ToolResult result = run({FakeTool::ok("[1]")});
  EXPECT_EQ(cache.kept, std::vector<std::string>{"[1]"});
  ASSERT_EQ(cache.asked.size(), 1U);
  EXPECT_EQ(cache.asked[0].key, result.telemetry.semantic_key);
  EXPECT_EQ(cache.asked[0].tenant, "acme");
  EXPECT_EQ(cache.asked[0].caller, "default");
  EXPECT_EQ(cache.asked[0].time_to_live, std::chrono::minutes(5));
  EXPECT_EQ(cache.asked[0].origin, (CacheOrigin{LedgerJobId(12), {0, 2, 1}}));
  EXPECT_FALSE(result.telemetry.cache_hit);
  request.call.args_json = R"({"n":1,"output_level":"brief"})";
  run({FakeTool::ok("[1]")});
  EXPECT_EQ(cache.asked[1].key, cache.asked[0].key);
}

TEST_F(RuntimeWithMemory, AHitIsFormattedAtTheLevelOfThisCallAndRunsNothing) {
  cache.known = CacheHit{R"(["a","b"])", {LedgerJobId(3), {1, 2, 0}}};
  request.call.args_json = R"({"output_level":"brief"})";
  const ToolResult result = run({FakeTool::ok("[]")});
  EXPECT_EQ(result.observation, "Found 2 items");
  EXPECT_EQ(result.state, ToolCallState::Succeeded);
  EXPECT_TRUE(record.invocations.empty());
  EXPECT_TRUE(result.telemetry.cache_hit);
  EXPECT_EQ(result.telemetry.origin_job, LedgerJobId(3));
  EXPECT_EQ(result.telemetry.origin, (Position{1, 2, 0}));
}

TEST_F(RuntimeWithMemory, AnErrorIsNotKept) {
  run({FakeTool::failed(ToolErrorType::ExecutionError)});
  EXPECT_TRUE(cache.kept.empty());
  EXPECT_EQ(cache.failed, 1);
}

TEST_F(RuntimeWithMemory, AResultThatTheToolCallsNotCacheableIsNotKept) {
  Answer answer = FakeTool::ok("1");
  answer.result.not_cacheable = true;
  EXPECT_EQ(run({answer}).state, ToolCallState::Succeeded);
  EXPECT_TRUE(cache.kept.empty());
  EXPECT_EQ(cache.failed, 1);
}

TEST_F(RuntimeWithMemory, AResultThatIsNoJsonIsNotKept) {
  EXPECT_EQ(run({FakeTool::ok("nonsense")}).state, ToolCallState::Failed);
  EXPECT_TRUE(cache.kept.empty());
  EXPECT_EQ(cache.failed, 1);
}

TEST_F(RuntimeWithMemory, TheCallsPolicyStandsBeforeTheTools) {
  request.cache_policy = CachePolicy::NoCache;
  run({FakeTool::ok("1")});
  EXPECT_TRUE(cache.asked.empty());
  request.cache_policy = CachePolicy::TtlLong;
  run({FakeTool::ok("1")});
  ASSERT_EQ(cache.asked.size(), 1U);
  EXPECT_EQ(cache.asked[0].time_to_live, std::chrono::hours(24));
}

TEST_F(RuntimeWithMemory, AToolThatMayNotBeCachedIsNeverLookedUp) {
  descriptor.may_be_cached = false;
  descriptor.cache_policy = CachePolicy::NoCache;
  request.cache_policy = CachePolicy::TtlLong;
  EXPECT_EQ(run({FakeTool::ok("1")}).telemetry.semantic_key, "");
  EXPECT_TRUE(cache.asked.empty());
}

TEST_F(RuntimeWithMemory, TheKeyIsTheSameInEveryCallStepRoundJobAndAttempt) {
  run({FakeTool::ok("1")});
  request.call.id = ToolCallId("call_2");
  request.job = LedgerJobId(99);
  request.position = {3, 4, 5};
  request.idempotency_key = "another";
  request.window_used = 0.9;
  run({FakeTool::ok("1")});
  ASSERT_EQ(cache.asked.size(), 2U);
  EXPECT_EQ(cache.asked[0].key, cache.asked[1].key);
}

TEST_F(RuntimeWithMemory, TheKeyIsOfParametersCompletedWithTheSchemasDefaults) {
  for (const char* args : {"{}", R"({"n":7})", R"({"n":8})"}) {
    request.call.args_json = args;
    run({FakeTool::ok("1")});
  }
  ASSERT_EQ(cache.asked.size(), 3U);
  EXPECT_EQ(cache.asked[0].key, cache.asked[1].key);
  EXPECT_NE(cache.asked[0].key, cache.asked[2].key);
}

TEST_F(RuntimeWithMemory, AGivenKeyStandsForTheParametersAndForNothingElse) {
  request.given_key = "order 17";
  run({FakeTool::ok("1")});
  request.call.args_json = R"({"n":8})";
  run({FakeTool::ok("1")});
  request.tenant = TenantId("other");
  run({FakeTool::ok("1")});
  request.tenant = TenantId("acme");
  request.caller_id = "other";
  run({FakeTool::ok("1")});
  ASSERT_EQ(cache.asked.size(), 4U);
  EXPECT_EQ(cache.asked[0].key, cache.asked[1].key);
  EXPECT_NE(cache.asked[1].key, cache.asked[2].key);
  EXPECT_NE(cache.asked[1].key, cache.asked[3].key);
}

TEST_F(RuntimeWithMemory, AnUnknownOutcomeIsNotKept) {
  EXPECT_EQ(run({FakeTool::unknown()}).state, ToolCallState::Unknown);
  EXPECT_TRUE(cache.kept.empty());
}

TEST_F(RuntimeWithMemory, WhatTheWholeTenantSharesHasNoCaller) {
  descriptor.cache_scope = CacheScope::Tenant;
  run({FakeTool::ok("1")});
  request.caller_id = "other";
  run({FakeTool::ok("1")});
  ASSERT_EQ(cache.asked.size(), 2U);
  EXPECT_EQ(cache.asked[0].key, cache.asked[1].key);
  EXPECT_EQ(cache.asked[0].caller, "");
}

TEST_F(RuntimeWithMemory, NothingOfOneTenantCallerOrPermissionIsLookedUpForAnother) {
  run({FakeTool::ok("1")});
  request.tenant = TenantId("other");
  run({FakeTool::ok("1")});
  request.caller_id = "other";
  run({FakeTool::ok("1")});
  request.permission = PermissionLevel::Admin;
  run({FakeTool::ok("1")});
  std::set<std::string> keys;
  for (const CacheQuestion& question : cache.asked) keys.insert(question.key);
  EXPECT_EQ(keys.size(), 4U);
}

}  // namespace
}  // namespace ba
