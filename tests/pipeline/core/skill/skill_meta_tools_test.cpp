// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/skill/skill_meta_tools.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pipeline/core/tool/tool_runtime.hpp"
#include "tests/support/fixed_random.hpp"
#include "tests/support/virtual_executor.hpp"

namespace ba {
namespace {

/// Answers every request with what it was told to.
class ScriptedHost final : public SkillHost {
 public:
  explicit ScriptedHost(Executor& executor) : executor_(executor) {}

  std::unique_ptr<ToolRun> start(SkillRequest request, std::function<void(Answer)> done) override {
    requests.push_back(std::move(request));
    auto run = std::make_unique<Run>(under_way);
    run->timer = executor_.after(takes, [this, done = std::move(done)] { done(answer); });
    return run;
  }

  std::vector<SkillRequest> requests;
  Answer answer = SkillActivation{};
  Milliseconds takes{1};
  int under_way = 0;

 private:
  struct Run final : ToolRun {
    explicit Run(int& count) : under_way(count) { ++under_way; }
    ~Run() override { --under_way; }
    int& under_way;
    std::unique_ptr<Timer> timer;
  };
  Executor& executor_;
};

class ActivateSkill : public testing::Test {
 protected:
  ActivateSkill() { EXPECT_TRUE(registry_.add(std::make_unique<ActivateSkillTool>(host_))); }

  static ToolRequest request_of(const std::string& args, OutputLevel level = OutputLevel::Full) {
    ToolRequest request;
    request.call.id = ToolCallId("call_1");
    request.call.name = "activate_skill";
    request.call.args_json = args;
    request.tenant = TenantId("acme");
    request.permission = PermissionLevel::Restricted;
    request.agent_level = level;
    request.job = LedgerJobId(7);
    request.idempotency_key = "key";
    return request;
  }

  ToolResult call(const std::string& args, OutputLevel level = OutputLevel::Full) {
    std::optional<ToolResult> result;
    const auto run =
        runtime_.run(request_of(args, level), [&](ToolResult value) { result = std::move(value); });
    time_.run();
    return result.value_or(ToolResult{});
  }

  VirtualExecutor time_;
  FixedRandom random_;
  ScriptedHost host_{time_};
  ToolRegistry registry_;
  ToolRuntime runtime_{registry_, ToolRuntimeConfig{}, time_, time_, random_};
};

TEST_F(ActivateSkill, AsksForTheInstructionsUnlessAnotherLevelIsNamed) {
  call(R"({"skill_name":"sales"})");
  ASSERT_EQ(host_.requests.size(), 1U);
  EXPECT_EQ(host_.requests[0].name, "sales");
  EXPECT_EQ(host_.requests[0].level, SkillLevel::Instructions);
  EXPECT_EQ(host_.requests[0].resource, "");
  EXPECT_EQ(host_.requests[0].parameters, "{}");
  EXPECT_EQ(host_.requests[0].job, LedgerJobId(7));
  EXPECT_EQ(host_.requests[0].key, "key");
}

TEST_F(ActivateSkill, PassesOnResourceAndParameters) {
  call(R"({"skill_name":"sales","load_level":3,"resource":"a/b.md","parameters":{"year":2026}})");
  ASSERT_EQ(host_.requests.size(), 1U);
  EXPECT_EQ(host_.requests[0].level, SkillLevel::Resources);
  EXPECT_EQ(host_.requests[0].resource, "a/b.md");
  EXPECT_EQ(host_.requests[0].parameters, R"({"year":2026})");
}

TEST_F(ActivateSkill, ItsResultHasTheActivationWithMessagesAndModifier) {
  SkillActivation activation;
  activation.activation_id = "act-1";
  activation.skill_name = "sales";
  activation.messages = {{SkillMessageKind::Metadata, "m", SkillVisibility::Visible},
                         {SkillMessageKind::Instruction, "i", SkillVisibility::Hidden},
                         {SkillMessageKind::Permissions, "p", SkillVisibility::Hidden}};
  activation.modifier.allowed_tools = {{"query_database"}};
  activation.modifier.model = "opus";
  host_.answer = activation;
  const ToolResult result = call(R"({"skill_name":"sales"})");
  ASSERT_EQ(result.state, ToolCallState::Succeeded) << result.observation;
  EXPECT_EQ(nlohmann::json::parse(result.observation), nlohmann::json::parse(R"({
    "activation_id":"act-1","skill_name":"sales",
    "messages":[{"type":"metadata","content":"m","visibility":"visible"},
                {"type":"instruction","content":"i","visibility":"hidden"},
                {"type":"permissions","content":"p","visibility":"hidden"}],
    "context_modifier":{"allowed_tools":["query_database"],"model":"opus",
                        "disable_model_invocation":false},
    "success":true,"error":null})"));
}

TEST_F(ActivateSkill, WithoutAModifierNothingIsRestricted) {
  const auto json = nlohmann::json::parse(activation_json({}));
  EXPECT_TRUE(json["context_modifier"]["allowed_tools"].is_null());
  EXPECT_TRUE(json["context_modifier"]["model"].is_null());
}

TEST_F(ActivateSkill, WhatIsOnlyReadHasNoActivationId) {
  SkillActivation reading;
  reading.skill_name = "sales";
  reading.activates = false;
  host_.answer = reading;
  for (const char* args :
       {R"({"skill_name":"sales","load_level":1})", R"({"skill_name":"sales","load_level":3})"}) {
    const auto json = nlohmann::json::parse(call(args).observation);
    ASSERT_TRUE(json.contains("activation_id")) << args;
    EXPECT_TRUE(json["activation_id"].is_null()) << args;
    EXPECT_EQ(json["success"], true) << args;
  }
}

TEST_F(ActivateSkill, ARefusalIsAnErrorAndNothingIsInDoubt) {
  host_.answer = ToolError{.type = ToolErrorType::NotFound,
                           .code = "SKILL_NOT_FOUND",
                           .message = "there is no skill 'sale'; there are: sales"};
  const ToolResult result = call(R"({"skill_name":"sale"})");
  EXPECT_EQ(result.state, ToolCallState::Failed);
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, "SKILL_NOT_FOUND");
}

TEST_F(ActivateSkill, RefusesArgumentsThatMeanNothing) {
  for (const char* args : {R"({})", R"({"skill_name":""})", R"({"skill_name":"a","load_level":4})",
                           R"({"skill_name":"a","load_level":"2"})", R"({"skill_name":7})",
                           R"({"skill_name":"a","parameters":[1]})", R"({"skill_name":"a","x":1})"})
    EXPECT_EQ(call(args).error.value_or(ToolError{}).type, ToolErrorType::InvalidParameters)
        << args;
  EXPECT_TRUE(host_.requests.empty());
}

TEST_F(ActivateSkill, ATimeoutEndsTheActivationAndTheNextTryHasTheSameKey) {
  host_.takes = std::chrono::hours(1);
  const auto run = runtime_.run(request_of(R"({"skill_name":"sales"})"), [](ToolResult) {});
  time_.run_for(Milliseconds(119'999));
  EXPECT_EQ(host_.requests.size(), 1U);
  EXPECT_EQ(host_.under_way, 1);
  time_.run_for(Milliseconds(200));
  EXPECT_EQ(host_.under_way, 0) << "not just abandoned";
  time_.run_for(Milliseconds(1000));
  ASSERT_EQ(host_.requests.size(), 2U);
  EXPECT_EQ(host_.requests[1].key, host_.requests[0].key);
  EXPECT_EQ(host_.under_way, 1);
}

TEST_F(ActivateSkill, ACancelledCallEndsTheActivation) {
  auto run = runtime_.run(request_of(R"({"skill_name":"sales"})"),
                          [](ToolResult) { FAIL() << "an answer after the end"; });
  time_.run_for(Milliseconds(0));
  ASSERT_EQ(host_.under_way, 1);
  run.reset();
  EXPECT_EQ(host_.under_way, 0);
  time_.run();
}

TEST_F(ActivateSkill, AnAgentThatMayNotUseItIsRefusedWhateverItsPermission) {
  ToolRequest request = request_of(R"({"skill_name":"sales"})");
  request.permission = PermissionLevel::Admin;
  request.allowed = {{"query_database"}};
  std::optional<ToolResult> result;
  const auto run = runtime_.run(request, [&](ToolResult value) { result = std::move(value); });
  time_.run();
  EXPECT_EQ(result.value().error.value().type, ToolErrorType::PermissionDenied);
  EXPECT_TRUE(host_.requests.empty());
}

TEST_F(ActivateSkill, IsKeyedAndNeverCached) {
  const ToolDescriptor& tool = registry_.find("activate_skill")->tool->descriptor();
  EXPECT_EQ(tool.effect, EffectClass::Keyed);
  EXPECT_FALSE(tool.may_be_cached);
}

}  // namespace
}  // namespace ba
