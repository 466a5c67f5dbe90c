// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "tests/pipeline/core/tool/tool_runtime_fixture.hpp"

namespace ba {
namespace {

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
  ASSERT_TRUE(asked.arguments);
  EXPECT_EQ(arguments_of(asked), asked.arguments);  // nobody reads them again
  EXPECT_EQ(asked.arguments->dump(), asked.parameters);
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

TEST_F(Runtime, TakesWhatTheAgentHasSetForCallsOfTheTool) {
  descriptor.default_level = OutputLevel::Full;
  const CallSettings settings{.level = OutputLevel::Brief,
                              .timeout = Milliseconds(700),
                              .cache_policy = CachePolicy::TtlLong,
                              .retry_on_timeout = false};
  const auto read = [&] {
    registry.remove("query");
    return run({FakeTool::ok("[1]")}).observation;
  };
  apply_call_settings({{"another", settings}}, request);
  EXPECT_EQ(read(), "[\n  1\n]");
  apply_call_settings({{request.call.name, settings}}, request);
  EXPECT_EQ(request.cache_policy, CachePolicy::TtlLong);
  EXPECT_EQ(read(), "Found 1 items");
  EXPECT_EQ(record.invocations.back().timeout, Milliseconds(700));
  EXPECT_FALSE(record.invocations.back().retry_on_timeout);
  request.call.args_json = R"({"output_level":"full"})";
  EXPECT_EQ(read(), "[\n  1\n]") << "the model's word is first";
}

TEST_F(Runtime, AReadersResultIsWholeAndATable) {
  descriptor.reader = true;
  const ToolResult result = run({FakeTool::ok(R"([{"a":1},{"a":2}])")});
  EXPECT_EQ(result.output_level, OutputLevel::Full);
  EXPECT_EQ(result.observation, "[2]{a}:\n  1\n  2");
}

TEST_F(Runtime, WhatIsSaidExplicitlyGoesBeforeTheLevelOfReaders) {
  descriptor.reader = true;
  config.output_level = OutputLevel::Brief;
  const auto read = [&] {
    registry.remove("query");
    return run({FakeTool::ok("[1]")}).observation;
  };
  EXPECT_EQ(read(), "[1]") << "the global default is of the others";
  request.agent_level = OutputLevel::Standard;
  EXPECT_EQ(read(), "Found 1 items:\n  - 1");
  request.window_used = 0.81;
  EXPECT_EQ(read(), "Found 1 items");
  descriptor.default_level = OutputLevel::Standard;
  EXPECT_EQ(read(), "Found 1 items:\n  - 1");
  request.call.args_json = R"({"output_level":"full"})";
  EXPECT_EQ(read(), "[1]");
}

TEST_F(Runtime, AReaderHasTheEncodingThatIsAskedFor) {
  descriptor.reader = true;
  config.encoding = DataEncoding::Json;
  EXPECT_EQ(run({FakeTool::ok(R"([{"a":1}])")}).observation, "[\n  {\n    \"a\": 1\n  }\n]");
}

TEST_F(Runtime, WhatAToolSaysOfItsDataIsALineBelowThem) {
  FakeTool::Answer answer = FakeTool::ok("[1,2]");
  answer.result.note = "Only the first 2.";
  const ToolResult result = run({answer});
  EXPECT_EQ(result.observation, "Found 2 items:\n  - 1\n  - 2\nOnly the first 2.");
  EXPECT_EQ(result.note, "Only the first 2.");
  registry.remove("query");
  EXPECT_EQ(result.data_hash, run({FakeTool::ok("[1,2]")}).data_hash);
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

TEST_F(Runtime, AToolWithEffectsHasSucceededWhateverTheShapeOfItsAnswer) {
  descriptor.effect = EffectClass::Once;
  const std::string deep = std::string(65, '[') + std::string(65, ']');
  const ToolResult result = run({FakeTool::ok(deep)});
  EXPECT_EQ(result.state, ToolCallState::Succeeded);
  EXPECT_NE(result.observation.find(deep.substr(0, 50)), std::string::npos) << result.observation;
}

// ---- refusals: nothing runs --------------------------------------------------------------------

TEST_F(Runtime, AnswersAnUnknownToolWithTheNamesThereAre) {
  request.call.name = "querry";
  const ToolResult result = run({});
  EXPECT_EQ(result.state, ToolCallState::Failed);
  EXPECT_EQ(
      result.observation,
      "Operation failed.\n\nError Type: not_found\nError Code: TOOL_NOT_FOUND\n"
      "Error Message: There is no tool 'querry'. Did you mean 'query'? Available tools: query\n\n"
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

TEST_F(Runtime, TurnsAnExceptionOfAToolIntoAnErrorInWordsOfItsOwn) {
  for (const EffectClass effect : {EffectClass::Pure, EffectClass::Once}) {
    descriptor.name = effect == EffectClass::Pure ? "query" : "command";
    descriptor.effect = effect;
    request.call.name = descriptor.name;
    ASSERT_TRUE(registry.add(std::make_unique<ThrowingTool>(descriptor)));
    runtime.emplace(registry, config, time, time, random);
    std::optional<ToolResult> result;
    handle = runtime->run(request, [&](ToolResult value) { result = std::move(value); });
    time.run();
    ASSERT_TRUE(result && result->error);
    EXPECT_EQ(result->state,
              effect == EffectClass::Pure ? ToolCallState::Failed : ToolCallState::Unknown)
        << "what it did before it threw, nobody knows";
    EXPECT_EQ(result->error->type, ToolErrorType::InternalError);
    EXPECT_EQ(result->error->message, "The tool failed inside; do without it, or ask differently");
    EXPECT_EQ(result->observation.find("no luck"), std::string::npos);
    EXPECT_EQ(result->telemetry.error_context, "no luck");
  }
}

TEST_F(Runtime, RefusesADataSourceThatTheCallerMayNotName) {
  descriptor.source_parameter = "db";
  descriptor.sources = {{"sales", "Sales"}, {"stock", "Stock"}};
  request.data_sources = {"db:stock", "index:sales"};
  int number = 0;
  descriptor.parameters_schema =
      R"({"properties":{"db":{"type":"string","enum":["sales","stock"],"default":"sales"}}})";
  for (const char* args :
       {R"({"db":"sales"})", R"({"db":"zz"})", R"({"db":7})", R"({"db":"zz","x":1})"}) {
    request.call.args_json = args;
    descriptor.name = request.call.name = "query_" + std::to_string(++number);
    const ToolResult result = run({FakeTool::ok("1")});
    EXPECT_EQ(result.error.value_or(ToolError{}).code, "DATA_SOURCE_NOT_ALLOWED") << args;
    EXPECT_EQ(result.error->type, ToolErrorType::PermissionDenied);
    EXPECT_NE(result.error->message.find("Allowed: stock"), std::string::npos);
    EXPECT_EQ(result.error->message.find("expected one of"), std::string::npos);
    EXPECT_TRUE(record.invocations.empty());
  }
  descriptor.name = request.call.name = "query";
  for (const char* args : {R"({"db":"stock"})", R"({"db":null})", "{}"}) {
    descriptor.name = request.call.name = "query_" + std::to_string(++number);
    request.call.args_json = args;
    EXPECT_EQ(run({FakeTool::ok("1")}).state, ToolCallState::Succeeded) << args;
    EXPECT_EQ(record.invocations.back().parameters, R"({"db":"stock"})");
  }
}

TEST_F(Runtime, ACallMayHaveATimeOfItsOwn) {
  request.timeout = Milliseconds(50);
  request.retry_on_timeout = false;
  const ToolResult result = run({FakeTool::ok("1", Milliseconds(60'000))});
  EXPECT_EQ(record.invocations.at(0).timeout, Milliseconds(50));
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->message, "Tool execution timed out after 50ms");
}

// ---- what the driver asks ----------------------------------------------------------------------

}  // namespace
}  // namespace ba
