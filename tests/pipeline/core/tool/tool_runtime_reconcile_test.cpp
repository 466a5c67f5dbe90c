// SPDX-License-Identifier: Apache-2.0
// Calls of tools that can tell what became of them.
#include "tests/pipeline/core/tool/tool_runtime_fixture.hpp"

namespace ba {
namespace {

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

/// The worker stood still: another may be at the same call by now.
TEST_F(Reconciling, DoesNotRunOnceItsWorkerMayNotGoOnAfterTheQuestion) {
  request.may_go_on = [this] { return record.asked.empty(); };
  record.statuses = {FakeTool::did_not_happen()};
  bool answered = false;
  record.answers = {FakeTool::ok("1")};
  handle = make_runtime().run(request, [&](const ToolResult&) { answered = true; });
  time.run();
  EXPECT_EQ(record.asked.size(), 1u);
  EXPECT_TRUE(record.invocations.empty());
  EXPECT_FALSE(answered);
  EXPECT_EQ(time.pending(), 0u);
}

TEST_F(Reconciling, AsksNothingOnceItsWorkerMayNotGoOn) {
  request.maybe_done = false;
  request.may_go_on = [this] { return record.invocations.empty(); };
  record.statuses = {FakeTool::did_not_happen()};
  record.answers = {FakeTool::unknown()};
  handle = make_runtime().run(request, [](const ToolResult&) { ADD_FAILURE() << "no result"; });
  time.run();
  EXPECT_EQ(record.invocations.size(), 1u);
  EXPECT_TRUE(record.asked.empty());
}

TEST_F(Reconciling, NoTryOfAnyClassBeginsOnceItsWorkerMayNotGoOn) {
  for (const EffectClass effect : {EffectClass::Pure, EffectClass::Keyed}) {
    handle.reset();
    descriptor.effect = effect;
    descriptor.name = request.call.name = std::string(to_string(effect));
    record.invocations.clear();
    request.may_go_on = [this] { return record.invocations.empty(); };
    record.answers = {FakeTool::failed(ToolErrorType::TransientError)};
    handle = make_runtime().run(request, [](const ToolResult&) { ADD_FAILURE() << "no result"; });
    time.run();
    EXPECT_EQ(record.invocations.size(), 1u) << to_string(effect);
  }
}

TEST_F(Reconciling, SaysWithWhichVersionTheCallWasBegun) {
  request.begun_version = "0.9";
  resume({FakeTool::happened("1")});
  EXPECT_EQ(record.asked.at(0).begun_version, "0.9");
}

TEST_F(Reconciling, IsNotAskedAboutAnErrorThatSaysWhatHappened) {
  request.maybe_done = false;
  EXPECT_EQ(run({FakeTool::failed(ToolErrorType::TransientError)}).state, ToolCallState::Failed);
  EXPECT_TRUE(record.asked.empty());
  EXPECT_EQ(record.invocations.size(), 1u);
}

}  // namespace
}  // namespace ba
