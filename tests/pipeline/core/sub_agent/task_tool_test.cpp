// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/sub_agent/task_tool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pipeline/core/tool/schema_check.hpp"
#include "pipeline/core/tool/tool_runtime.hpp"
#include "tests/support/fake_artifact_store.hpp"
#include "tests/support/fixed_random.hpp"
#include "tests/support/virtual_executor.hpp"

namespace ba {
namespace {

using testing::HasSubstr;

constexpr const char* kArguments =
    R"({"description":"d","prompt":"look here","subagent_type":"explorer"})";

class RecordingHost final : public SubAgentHost {
 public:
  struct Run final : ToolRun {
    explicit Run(int& count) : under_way(count) { ++under_way; }
    ~Run() override { --under_way; }
    int& under_way;
  };

  std::unique_ptr<ToolRun> start(SubAgentRequest request,
                                 std::function<void(SubAgentAnswer)> done) override {
    requests.push_back(std::move(request));
    answer = std::move(done);
    return std::make_unique<Run>(under_way);
  }
  int halt_all_of(LedgerJobId) override { return 0; }
  bool any_of(LedgerJobId) const override { return false; }

  std::vector<SubAgentRequest> requests;
  std::function<void(SubAgentAnswer)> answer;
  int under_way = 0;
};

class TaskToolTest : public testing::Test {
 protected:
  TaskToolTest() { desk_.host = &host_; }

  RawToolResult run(const std::string& arguments, std::optional<SubAgentAnswer> answer = {}) {
    ToolInvocation invocation;
    invocation.parameters = arguments;
    invocation.caller_id = "default";
    invocation.idempotency_key = "0123456789abcdef0123";
    invocation.job = LedgerJobId(7);
    invocation.position = {0, 1, 2};
    invocation.permission_level = PermissionLevel::Restricted;
    std::optional<RawToolResult> result;
    const auto run = tool_.run(invocation, [&](RawToolResult raw) { result = std::move(raw); });
    EXPECT_FALSE(result) << "from inside the call";
    if (answer) host_.answer(*answer);
    time_.run();
    return result.value_or(RawToolResult{});
  }

  RawToolResult ended(Outcome outcome, const std::string& answer, std::optional<JobError> error) {
    return run(kArguments, SubAgentAnswer{"id", SubAgentEnd{outcome, answer, std::move(error)}});
  }

  VirtualExecutor time_;
  RecordingHost host_;
  SubAgentDesk desk_;
  TaskTool tool_{{{"default", {"explorer"}}}, std::chrono::hours(1), desk_, time_};
};

TEST_F(TaskToolTest, AsksForWhatTheCallSays) {
  run(R"({"description":"d","prompt":"look","subagent_type":"explorer","agent_id":"abc"})");
  ASSERT_EQ(host_.requests.size(), 1U);
  const SubAgentRequest& request = host_.requests[0];
  EXPECT_EQ(request.asked_by, (AskingCall{LedgerJobId(7), {0, 1, 2}}));
  EXPECT_EQ(request.key, "0123456789abcdef0123");
  EXPECT_EQ(request.type, "explorer");
  EXPECT_EQ(request.description, "d");
  EXPECT_EQ(request.prompt, "look");
  EXPECT_EQ(request.agent_id, "abc");
  EXPECT_EQ(request.permission_max, PermissionLevel::Restricted);
}

TEST_F(TaskToolTest, AnAnswerIsItsDataAndTheIdItsClosingLine) {
  const RawToolResult raw = ended(Outcome::Completed, "two \"lines\"\nhere", std::nullopt);
  EXPECT_FALSE(raw.error);
  EXPECT_EQ(raw.data, R"("two \"lines\"\nhere")");
  EXPECT_EQ(raw.closing_line, "agentId: id (for resuming)");
}

TEST_F(TaskToolTest, AnEarlyEndIsAnErrorThatLeavesNothingInDoubt) {
  const RawToolResult raw =
      ended(Outcome::TokenLimit, "half", JobError{"limit", "TOKEN_LIMIT", "used 10 of 10"});
  ASSERT_TRUE(raw.error);
  EXPECT_EQ(raw.error->type, ToolErrorType::ExecutionError);
  EXPECT_EQ(raw.error->code, "SUB_AGENT_TOKEN_LIMIT");
  EXPECT_EQ(raw.error->message,
            "The sub-agent ended without a final answer (token_limit): used 10 of 10. Its last "
            "answer: half\nagentId: id (for resuming)");
  EXPECT_TRUE(raw.never_happened && raw.retry_useless && !raw.outcome_unknown);
}

TEST_F(TaskToolTest, ARefusalOfTheHostIsToldAsItIs) {
  const ToolError error{ToolErrorType::NotFound, "AGENT_NOT_FOUND", "no such agent"};
  const RawToolResult raw = run(kArguments, SubAgentAnswer{"id", error});
  EXPECT_EQ(raw.error, error);
  EXPECT_TRUE(raw.never_happened && raw.retry_useless);
}

TEST_F(TaskToolTest, RefusesATypeThatTheCallerMayNotAsk) {
  const RawToolResult raw = run(R"({"description":"d","prompt":"p","subagent_type":"admin"})");
  ASSERT_TRUE(raw.error);
  EXPECT_EQ(raw.error->type, ToolErrorType::PermissionDenied);
  EXPECT_THAT(raw.error->message, HasSubstr("'admin' may not be asked; there are: explorer"));
  EXPECT_TRUE(host_.requests.empty());
}

TEST_F(TaskToolTest, WithoutAWorkerNobodyIsAsked) {
  desk_.host = nullptr;
  const RawToolResult raw = run(kArguments);
  ASSERT_TRUE(raw.error);
  EXPECT_EQ(raw.error->code, "NO_WORKER");
}

/// As a job calls it.
class TaskInARuntime : public TaskToolTest {
 protected:
  TaskInARuntime() {
    EXPECT_TRUE(registry_.add(std::make_unique<TaskTool>(SubAgentTypes{{"default", {"explorer"}}},
                                                         Milliseconds(60'000), desk_, time_)));
    request_.call.id = ToolCallId("call_1");
    request_.call.name = kTaskTool;
    request_.call.args_json = kArguments;
    request_.caller_id = "default";
    request_.idempotency_key = "0123456789abcdef0123";
  }

  std::unique_ptr<ToolRun> start() {
    auto run = runtime_.run(request_, [this](ToolResult value) { result_ = std::move(value); });
    time_.run_for(Milliseconds(0));
    return run;
  }

  FixedRandom random_;
  ToolRegistry registry_;
  ToolRuntime runtime_{registry_, ToolRuntimeConfig{}, time_, time_, random_};
  ToolRequest request_;
  std::optional<ToolResult> result_;
};

TEST_F(TaskInARuntime, ATimeoutHaltsTheSubAgentAndNobodyStartsASecondOne) {
  const auto run = start();
  time_.run_for(Milliseconds(59'999));
  EXPECT_EQ(host_.under_way, 1);
  EXPECT_FALSE(result_);
  time_.run();
  EXPECT_EQ(host_.under_way, 0);
  EXPECT_EQ(host_.requests.size(), 1U);
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->error.value().type, ToolErrorType::Timeout);
}

TEST_F(TaskInARuntime, ACancelledCallHaltsTheSubAgent) {
  auto run = start();
  ASSERT_EQ(host_.under_way, 1);
  run.reset();
  EXPECT_EQ(host_.under_way, 0);
  time_.run();
  EXPECT_FALSE(result_);
}

TEST_F(TaskInARuntime, TheFinalAnswerIsTheObservationAndTheIdItsLastLine) {
  const auto run = start();
  host_.answer({"abc", SubAgentEnd{Outcome::Completed, "42 flights", std::nullopt}});
  time_.run();
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->observation, "42 flights\n\nagentId: abc (for resuming)");
}

TEST_F(TaskInARuntime, ItsAnswerIsReadWholeUpToTheLimitAndBrieflyWhereTheWindowIsNearlyFull) {
  const auto read = [&](double window_used) {
    request_.window_used = window_used;
    result_.reset();
    const auto run = start();
    host_.answer({"abc", SubAgentEnd{Outcome::Completed, std::string(5000, 'x'), std::nullopt}});
    time_.run();
    return result_.value_or(ToolResult{}).observation;
  };
  EXPECT_EQ(read(0.8), std::string(5000, 'x') + "\n\nagentId: abc (for resuming)");
  EXPECT_EQ(read(0.81), std::string(100, 'x') + "…\n\nagentId: abc (for resuming)");
}

TEST_F(TaskToolTest, IsKeyedAndCannotBeCached) {
  EXPECT_EQ(tool_.descriptor().effect, EffectClass::Keyed);
  EXPECT_FALSE(tool_.descriptor().may_be_cached);
  EXPECT_FALSE(tool_.descriptor().retry_on_timeout);
}

TEST_F(TaskToolTest, ItsSchemaRefusesWhatIsMissingTooLongOrUnknown) {
  const auto schema = SchemaCheck::compile(tool_.descriptor().parameters_schema);
  ASSERT_TRUE(schema) << schema.error().message;
  const auto taken = [&](const std::string& key, const nlohmann::json& value) {
    nlohmann::json arguments = nlohmann::json::parse(kArguments);
    arguments[key] = value;
    if (value.is_null()) arguments.erase(key);
    return schema->check(arguments.dump(), 1'000'000).has_value();
  };
  EXPECT_TRUE(schema->check(kArguments, 10'000));
  EXPECT_TRUE(taken("agent_id", "abc"));
  for (const char* required : {"description", "prompt", "subagent_type"}) {
    EXPECT_FALSE(taken(required, nullptr)) << required;
    EXPECT_FALSE(taken(required, "")) << required;
    EXPECT_FALSE(taken(required, 7)) << required;
    EXPECT_FALSE(taken(required, std::string(200'001, 'x'))) << required;
  }
  EXPECT_FALSE(taken("agent_id", std::string(65, 'x')));
  EXPECT_FALSE(taken("tools", nlohmann::json::array()));
}

TEST_F(TaskToolTest, AModelIsShownTheTypesAndWhatTheyAreFor) {
  const auto schema =
      nlohmann::json::parse(schema_for_types({{"explorer", "looks \"around\""}, {"writer", ""}}));
  const auto& type = schema["properties"]["subagent_type"];
  EXPECT_EQ(type["enum"], (nlohmann::json{"explorer", "writer"}));
  EXPECT_EQ(type["description"], "one of\n- explorer: looks \"around\"\n- writer");
  EXPECT_TRUE(SchemaCheck::compile(schema.dump()));
}

// ---- artifacts ---------------------------------------------------------------------------------

constexpr const char* kId = "artifact_00112233445566778899aabbccddeeff";

class TaskWithArtifacts : public TaskInARuntime {
 protected:
  TaskWithArtifacts() {
    registry_.remove(kTaskTool);
    EXPECT_TRUE(registry_.add(std::make_unique<TaskTool>(SubAgentTypes{{"default", {"explorer"}}},
                                                         Milliseconds(60'000), desk_, time_,
                                                         HandOverLimits{20, 16})));
    runtime_.keep_artifacts({store_});
    request_.tenant = TenantId("acme");
    request_.job = LedgerJobId(7);
    request_.call.args_json = nlohmann::json{
        {"description", "d"},
        {"prompt", "count them"},
        {"subagent_type", "explorer"},
        {"artifact_id", kId}}.dump();
  }

  void keep(const std::string& tenant, const std::string& data) {
    store_.artifacts[{tenant, kId}] = {data, time_.now(), time_.now()};
    store_.references.insert({{tenant, kId}, 7, {0, 0, 0}});
  }

  std::unique_ptr<ToolRun> start_reading() {
    auto run = runtime_.run(request_, [this](ToolResult value) { result_ = std::move(value); });
    time_.run_for(Milliseconds(10));
    return run;
  }

  FakeArtifactStore store_{time_, time_};
};

TEST_F(TaskWithArtifacts, TheHostIsGivenTheIdWithWhatTheDataIs) {
  keep("acme", R"([{"a":1},{"a":2},{"a":3},{"a":4},{"a":5},{"a":6}])");
  const auto run = start_reading();
  ASSERT_EQ(host_.requests.size(), 1U);
  const HandedArtifact artifact = host_.requests[0].artifact.value_or(HandedArtifact{});
  EXPECT_EQ(artifact.id, kId);
  EXPECT_EQ(artifact.summary, "List with 6 items. First item keys: ['a']");
  EXPECT_EQ(artifact.bytes, 49);
  EXPECT_EQ(artifact.text, "[2]{a}:\n  1\n  2\n… 4 more rows");
  EXPECT_TRUE(artifact.in_part);
}

TEST_F(TaskWithArtifacts, OneOfAnotherTenantIsNotThereAndNobodyIsAsked) {
  keep("other", "[1]");
  const auto run = start_reading();
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->error.value().code, "ARTIFACT_NOT_FOUND");
  EXPECT_TRUE(host_.requests.empty());
}

TEST_F(TaskWithArtifacts, DamagedDataIsToldAndNobodyIsAsked) {
  keep("acme", "[1,");
  const auto run = start_reading();
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->error.value().code, "ARTIFACT_DAMAGED");
  EXPECT_TRUE(host_.requests.empty());
}

TEST_F(TaskToolTest, TakesNoArtifactWhereNoneAreKept) {
  EXPECT_THAT(tool_.descriptor().parameters_schema, testing::Not(HasSubstr("artifact")));
  EXPECT_THAT(schema_for_types({{"explorer", ""}}, true), HasSubstr("\"x-artifact\":true"));
}

TEST(HandedArtifact, AnAgentThatReadsArtifactsIsToldTheIdAndTheToolsOthersTheText) {
  const HandedArtifact artifact{kId, "List with 6 items.", 49, "[2]{a}:\n  1", true};
  const std::string told = with_artifact("count", artifact, {{"file_reader", "artifact_id"}});
  EXPECT_EQ(told, "count\n\nData for this task is stored as artifact: " + std::string(kId) +
                      " (49 bytes)\nTo read it, give this id to one of your tools: file_reader "
                      "(artifact_id).\nData summary: List with 6 items.");
  const std::string shown = with_artifact("count", artifact, {});
  EXPECT_THAT(shown, HasSubstr("its beginning only: of 49 bytes"));
  EXPECT_THAT(shown, testing::EndsWith(":\n[2]{a}:\n  1"));
  EXPECT_THAT(shown, testing::Not(HasSubstr("artifact_")));
}

}  // namespace
}  // namespace ba
