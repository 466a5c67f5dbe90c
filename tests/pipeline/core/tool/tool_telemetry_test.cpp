// SPDX-License-Identifier: Apache-2.0
// What is recorded of a call for engineers, and that no model reads it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pipeline/core/tool/telemetry_json.hpp"
#include "pipeline/core/tool/tool_runtime.hpp"
#include "tests/support/fake_tool.hpp"
#include "tests/support/fixed_random.hpp"
#include "tests/support/virtual_executor.hpp"

namespace ba {
namespace {

using Answer = FakeTool::Answer;
using testing::HasSubstr;
using testing::Not;

/// Another number each time.
class CountingRandom final : public Random {
 public:
  std::uint64_t next() override { return ++count_ * 0x9e3779b97f4a7c15ULL; }

 private:
  std::uint64_t count_ = 0;
};

class Telemetry : public testing::Test {
 protected:
  Telemetry() {
    descriptor.name = "query";
    descriptor.effect = EffectClass::Pure;
    request.call.id = ToolCallId("call_1");
    request.call.name = "query";
    request.tenant = TenantId("acme");
  }

  ToolResult run(std::deque<Answer> answers) {
    record.answers = std::move(answers);
    if (!runtime) {
      EXPECT_TRUE(registry.add(std::make_unique<FakeTool>(time, descriptor, record)));
      runtime.emplace(registry, config, time, time, random);
    }
    std::optional<ToolResult> result;
    handle = runtime->run(request, [&](ToolResult value) { result = std::move(value); });
    time.run();
    return result.value_or(ToolResult{});
  }

  VirtualExecutor time;
  CountingRandom random;
  ToolDescriptor descriptor;
  FakeTool::Record record;
  ToolRegistry registry;
  ToolRuntimeConfig config;
  ToolRequest request;
  std::optional<ToolRuntime> runtime;
  std::unique_ptr<ToolRun> handle;
};

TEST_F(Telemetry, CountsTriesAndTellsTheLastOnesLatencyFromTheWholeDuration) {
  Answer first = FakeTool::failed(ToolErrorType::TransientError, "BUSY", "try again");
  first.delay = Milliseconds(700);
  const ToolResult result = run({first, FakeTool::ok("1", Milliseconds(40))});
  EXPECT_EQ(result.telemetry.attempts, 2);
  EXPECT_EQ(result.retry_count, 1);
  EXPECT_EQ(result.telemetry.latency, Milliseconds(40));
  EXPECT_GT(result.duration, Milliseconds(740));
  EXPECT_EQ(result.state, ToolCallState::Succeeded);
  EXPECT_EQ(result.telemetry.last_error,
            (ToolError{ToolErrorType::TransientError, "BUSY", "try again"}))
      << "kept although the call succeeded in the end";
}

TEST_F(Telemetry, HasTheTimesAtWhichTheCallBeganAndEnded) {
  const WallTime began = time.wall();
  const ToolResult result = run({FakeTool::ok("1", Milliseconds(40))});
  EXPECT_EQ(result.telemetry.started_at, began);
  EXPECT_EQ(result.telemetry.ended_at, began + Milliseconds(40));
  const auto json = nlohmann::json::parse(telemetry_json(result.telemetry));
  EXPECT_EQ(json["started_at"], to_rfc3339(began));
  EXPECT_EQ(json["ended_at"], to_rfc3339(began + Milliseconds(40)));
}

TEST_F(Telemetry, EachRunOfACallHasAnIdOfItsOwn) {
  const std::string first = run({FakeTool::ok("1")}).telemetry.execution_id;
  const std::string second = run({FakeTool::ok("1")}).telemetry.execution_id;
  EXPECT_EQ(first.size(), 32U);
  EXPECT_EQ(first.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(first, second);
}

TEST_F(Telemetry, HasTheActivationOfTheSkillThatTheCallBelongsTo) {
  const auto told = [](const ToolResult& result) {
    return nlohmann::json::parse(telemetry_json(result.telemetry));
  };
  EXPECT_FALSE(told(run({FakeTool::ok("1")})).contains("activation_id"));
  request.skill = "report";
  request.activation_id = "skill-0123";
  const auto json = told(run({FakeTool::ok("1")}));
  EXPECT_EQ(json["skill"], "report");
  EXPECT_EQ(json["activation_id"], "skill-0123");
  request.call.args_json = "[]";
  EXPECT_EQ(told(run({FakeTool::ok("1")}))["activation_id"], "skill-0123") << "of a refused one";
}

TEST_F(Telemetry, OfARefusedCallTheToolIsTold) {
  request.call.args_json = "[]";
  const ToolResult result = run({FakeTool::ok("1")});
  EXPECT_EQ(result.state, ToolCallState::Failed);
  EXPECT_EQ(result.telemetry.tool, "query");
  EXPECT_EQ(result.telemetry.tool_version, "1.0.0");
}

TEST_F(Telemetry, ARefusedCallIsRecordedWithoutATry) {
  request.call.name = "no such tool";
  const ToolResult result = run({FakeTool::ok("1")});
  EXPECT_EQ(result.telemetry.attempts, 0);
  EXPECT_EQ(result.telemetry.execution_id.size(), 32U);
  EXPECT_EQ(result.telemetry.last_error, std::nullopt) << "no try failed";
}

TEST_F(Telemetry, HasTheToolsOwnMetricsOfItsLastTry) {
  Answer failed = FakeTool::failed(ToolErrorType::TransientError);
  failed.result.metrics = {{"cpu_percent", 99}, {"only_here", 1}};
  Answer good = FakeTool::ok("1");
  good.result.metrics = {{"cpu_percent", 12.5}, {"memory_peak_mb", 3}};
  EXPECT_EQ(run({failed, good}).telemetry.metrics,
            (std::map<std::string, double>{{"cpu_percent", 12.5}, {"memory_peak_mb", 3}}));
}

TEST_F(Telemetry, EstimatesTheTokensOfArgumentsAndObservation) {
  request.call.args_json = R"({"sql":"select 1 from t"})";
  const ToolResult result = run({FakeTool::ok("\"" + std::string(400, 'x') + "\"")});
  EXPECT_EQ(result.telemetry.input_tokens, 6);
  EXPECT_EQ(result.telemetry.output_tokens, 100);
}

TEST_F(Telemetry, CountsThemAsTheRequestSays) {
  request.count_tokens = [](std::string_view text) {
    return static_cast<std::int64_t>(std::count(text.begin(), text.end(), 'x'));
  };
  request.call.args_json = R"({"sql":"select x.y from x"})";
  const ToolResult result = run({FakeTool::ok("\"" + std::string(400, 'x') + "\"")});
  EXPECT_EQ(result.telemetry.input_tokens, 2);
  EXPECT_EQ(result.telemetry.output_tokens, 400);
}

TEST_F(Telemetry, NoneOfItIsShownToTheModel) {
  Answer answer = FakeTool::ok("[1]");
  answer.result.metrics = {{"memory_peak_mb", 4711}};
  const ToolResult result =
      run({FakeTool::failed(ToolErrorType::TransientError, "HIDDEN"), answer});
  EXPECT_THAT(result.observation, Not(HasSubstr(result.telemetry.execution_id)));
  EXPECT_THAT(result.observation, Not(HasSubstr("4711")));
  EXPECT_THAT(result.observation, Not(HasSubstr("HIDDEN")));
}

TEST_F(Telemetry, NoneOfItIsInAnyEncoding) {
  config.stable_prefix = true;
  Answer answer = FakeTool::ok(R"([{"a":1},{"a":2}])");
  answer.result.metrics = {{"memory_peak_mb", 4711}};
  for (const DataEncoding encoding :
       {DataEncoding::Json, DataEncoding::Compact, DataEncoding::Yaml, DataEncoding::Xml}) {
    config.encoding = encoding;
    request.call.name = descriptor.name = "query_" + std::to_string(static_cast<int>(encoding));
    runtime.reset();
    const ToolResult result = run({answer});
    for (const std::string& hidden :
         {result.telemetry.execution_id, std::string("4711"), std::string("memory_peak_mb"),
          std::string("latency"), to_rfc3339(result.telemetry.started_at)})
      EXPECT_THAT(result.observation, Not(HasSubstr(hidden))) << static_cast<int>(encoding);
  }
}

TEST_F(Telemetry, WhatAnEngineerWantsToKnowOfAnErrorIsBesideItAndBounded) {
  Answer failed = FakeTool::failed(ToolErrorType::ExecutionError, "BROKEN", "it is broken");
  failed.result.error_context = "at " + std::string(10'000, 'x');
  const ToolResult result = run({failed});
  EXPECT_THAT(result.observation, Not(HasSubstr("xxx")));
  const auto json = nlohmann::json::parse(telemetry_json(result.telemetry));
  EXPECT_EQ(json["last_error"]["message"], "it is broken");
  EXPECT_EQ(json["error_context"], "at " + std::string(4093, 'x'));
}

TEST_F(Telemetry, IsOneLineOfJson) {
  descriptor.version = "2.1.0";
  Answer good = FakeTool::ok("1", Milliseconds(7));
  good.result.metrics = {{"rows", 2}};
  const ToolResult result =
      run({FakeTool::failed(ToolErrorType::RateLimit, "SLOW\n", "a\xff"), good});
  const auto json = nlohmann::json::parse(telemetry_json(result.telemetry));
  EXPECT_EQ(json["schema_version"], "1.0");
  EXPECT_EQ(json["tool"], "query");
  EXPECT_EQ(json["tool_version"], "2.1.0");
  EXPECT_EQ(json["attempts"], 2);
  EXPECT_EQ(json["latency_ms"], 7);
  EXPECT_EQ(json["total_tokens"],
            json["input_tokens"].get<int>() + json["output_tokens"].get<int>());
  EXPECT_EQ(json["last_error"]["type"], "rate_limit");
  EXPECT_EQ(json["metrics"]["rows"], 2);
  EXPECT_EQ(telemetry_json({}), "");
}

TEST_F(Telemetry, ANewerMajorVersionIsRefusedWithBothVersions) {
  for (const char* readable : {"", "1.0", "1.7", "0.9"})
    EXPECT_TRUE(check_telemetry_version(readable)) << readable;
  for (const char* wrong : {"2", "x", "1.0.0"})
    EXPECT_EQ(check_telemetry_version(wrong).error().code, ErrorCode::Corrupt) << wrong;
  EXPECT_EQ(check_telemetry_version("2.0").error().message,
            "schema_version \"2.0\" is newer than this program reads (1.0)");
}

}  // namespace
}  // namespace ba
