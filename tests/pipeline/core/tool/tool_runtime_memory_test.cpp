// SPDX-License-Identifier: Apache-2.0
// Calls whose results other calls may have.
#include "tests/pipeline/core/tool/tool_runtime_fixture.hpp"

namespace ba {
namespace {

/// Knows one result at most, and keeps what it was asked and given.
class OneResult final : public ResultCache {
 public:
  explicit OneResult(Executor& executor) : executor_(executor) {}

  std::optional<CacheHit> known;
  std::vector<CacheQuestion> asked;
  std::vector<std::string> kept;
  std::vector<std::string> notes;
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
    void keep(std::string data, std::string note) override {
      owner.kept.push_back(std::move(data));
      owner.notes.push_back(std::move(note));
    }
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

  ToolResult run(std::deque<FakeTool::Answer> answers) {
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

TEST_F(RuntimeWithMemory, NullForAnOptionalParameterIsTheSameCall) {
  descriptor.parameters_schema =
      R"({"properties":{"path":{"type":"string"},"json_path":{"type":"string"}}})";
  for (const char* args : {R"({"path":"x"})", R"({"path":"x","json_path":null})"}) {
    request.call.args_json = args;
    run({FakeTool::ok("[1]")});
  }
  ASSERT_EQ(cache.asked.size(), 2U);
  EXPECT_EQ(cache.asked[1].key, cache.asked[0].key);
  EXPECT_EQ(record.invocations.back().parameters, R"({"path":"x"})");
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

TEST_F(RuntimeWithMemory, WhatWasSaidOfAResultIsKeptAndReadWithIt) {
  FakeTool::Answer answer = FakeTool::ok("[1]");
  answer.result.note = "Only the first.";
  const std::string read = run({answer}).observation;
  EXPECT_EQ(cache.kept, std::vector<std::string>{"[1]"});
  EXPECT_EQ(cache.notes, std::vector<std::string>{"Only the first."});
  cache.known = CacheHit{cache.kept[0], {LedgerJobId(3), {1, 2, 0}}, {}, cache.notes[0]};
  const ToolResult again = run({});
  EXPECT_EQ(again.observation, read);
  EXPECT_EQ(again.note, "Only the first.");
}

TEST_F(RuntimeWithMemory, AKeptResultThatIsDamagedIsAMiss) {
  cache.known = CacheHit{R"({"rows":)", {LedgerJobId(3), {1, 2, 0}}};
  const ToolResult result = run({FakeTool::ok("[1,2]")});
  EXPECT_EQ(result.state, ToolCallState::Succeeded);
  EXPECT_EQ(result.observation, "Found 2 items:\n  - 1\n  - 2");
  EXPECT_EQ(record.invocations.size(), 1u);
  EXPECT_FALSE(result.telemetry.cache_hit);
  EXPECT_EQ(result.telemetry.origin_job, LedgerJobId());
}

TEST_F(RuntimeWithMemory, AnErrorIsNotKept) {
  run({FakeTool::failed(ToolErrorType::ExecutionError)});
  EXPECT_TRUE(cache.kept.empty());
  EXPECT_EQ(cache.failed, 1);
}

TEST_F(RuntimeWithMemory, AResultThatTheToolCallsNotCacheableIsNotKept) {
  FakeTool::Answer answer = FakeTool::ok("1");
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
  EXPECT_EQ(cache.asked[0].wait_max, Milliseconds(120'000));
  request.timeout = Milliseconds(777);
  run({FakeTool::ok("1")});
  EXPECT_EQ(cache.asked.at(1).wait_max, Milliseconds(777));
}

TEST_F(RuntimeWithMemory, AToolThatMayNotBeCachedIsNeverLookedUp) {
  descriptor.may_be_cached = false;
  descriptor.cache_policy = CachePolicy::NoCache;
  request.cache_policy = CachePolicy::TtlLong;
  const std::string key = run({FakeTool::ok("1")}).telemetry.semantic_key;
  EXPECT_EQ(key.size(), 64U) << "what it means is recorded all the same";
  request.call.args_json = R"({"n":8})";
  EXPECT_NE(run({FakeTool::ok("1")}).telemetry.semantic_key, key);
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
