// SPDX-License-Identifier: Apache-2.0
// Jobs that go on from their rows, and those that are only ended.
#include "pipeline/core/conversation/resume.hpp"

#include "pipeline/core/conversation/endings.hpp"
#include "tests/pipeline/core/conversation/machine_fixture.hpp"

namespace ba {
namespace {

class ResumeTest : public MachineTest {
 protected:
  /// The rows of a job whose first reply asked for these calls.
  StoredJob stored(std::vector<std::pair<std::string, ToolCallState>> calls, EffectClass effect,
                   const std::string& tool) {
    StoredJob rows;
    HumanMessage human;
    human.text = "how many?";
    rows.messages.push_back({{0, 0, 0}, human});
    AiMessage reply;
    for (auto& [id, call_state] : calls) {
      ToolCall call;
      call.id = ToolCallId(id);
      call.name = tool;
      reply.tool_calls.push_back(call);
    }
    rows.messages.push_back({{0, 1, 0}, reply});
    for (std::size_t i = 0; i < calls.size(); ++i) {
      StoredToolCall row;
      row.position = {0, 1, static_cast<int>(i) + 1};
      row.tool_call_id = ToolCallId(calls[i].first);
      row.tool_name = tool;
      row.effect = effect;
      row.state = calls[i].second;
      rows.calls.push_back(row);
      if (row.state == ToolCallState::Intended || row.state == ToolCallState::Running) continue;
      ToolMessage message;
      message.tool_call_id = row.tool_call_id;
      message.content = "seen " + calls[i].first;
      rows.messages.push_back({row.position, message});
    }
    StoredRound round;
    round.usage.input_tokens = 100;
    round.steps = 1;
    rows.rounds.push_back(round);
    return rows;
  }

  Actions resume_with(StoredJob rows) {
    ResumeInput input;
    input.claimed = claimed_;
    input.claimed.id = LedgerJobId(7);
    input.claimed.attempt = 2;
    input.claimed.after_crash = true;
    input.job = state_.job;
    input.profile = profile_;
    input.stored = std::move(rows);
    auto resumed = resume(std::move(input), moment_);
    EXPECT_TRUE(resumed) << resumed.error().message;
    state_ = std::move(resumed.value());
    return on(event::Begin{});
  }

  ClaimedJob claimed_;
  RunProfile profile_;
};

TEST_F(ResumeTest, ARoundsLatencyHasWhatOtherWorkersTookButNotTheTimeThatItsJobWasIdle) {
  using std::chrono::seconds;
  StoredJob rows = stored({{"a", ToolCallState::Succeeded}}, EffectClass::Pure, "look");
  moment_.wall = WallTime(seconds(10'000));
  std::get<HumanMessage>(rows.messages[0].message).meta.timestamp = moment_.wall - seconds(600);
  for (const auto& [idle, latency] : {std::pair{0, 601}, {400, 201}, {700, 1}}) {
    claimed_.idle = seconds(idle);
    resume_with(rows);
    on(event::Committed{});  // the call that was lost
    moment_.now += seconds(1);
    const Actions actions = answer(reply_text("seven"));
    EXPECT_EQ(committed(actions).rounds_closed.at(0).latency, seconds(latency)) << idle;
  }
}

TEST_F(ResumeTest, WhatItsJobWasIdleBeforeARoundBeganIsNotTakenOffItsLatency) {
  using std::chrono::seconds;
  StoredJob rows = stored({{"a", ToolCallState::Succeeded}}, EffectClass::Pure, "look");
  moment_.wall = WallTime(seconds(10'000));
  std::get<HumanMessage>(rows.messages[0].message).meta.timestamp = moment_.wall - seconds(600);
  rows.rounds[0].idle_before = seconds(300);
  for (const auto& [idle, latency] : {std::pair{300, 601}, {400, 501}}) {
    claimed_.idle = seconds(idle);
    resume_with(rows);
    on(event::Committed{});  // the call that was lost
    moment_.now += seconds(1);
    const Actions actions = answer(reply_text("seven"));
    EXPECT_EQ(committed(actions).rounds_closed.at(0).latency, seconds(latency)) << idle;
  }
}

TEST_F(ResumeTest, ARoundThatBeginsSaysHowLongItsJobWasIdleBefore) {
  state_.job.messages = {"one", "two"};
  StoredJob rows;
  HumanMessage human;
  human.text = "one";
  rows.messages.push_back({{0, 0, 0}, human});
  rows.messages.push_back({{0, 1, 0}, reply_text("1")});
  StoredRound round;
  round.status = RoundStatus::Completed;
  rows.rounds.push_back(round);
  claimed_.idle = Milliseconds(7'000);
  resume_with(rows);
  on(event::Committed{});  // the call that was lost
  const Actions actions = answer(reply_text("2"));
  const Delta& delta = committed(actions);
  ASSERT_EQ(delta.rounds_opened.size(), 1u);
  EXPECT_EQ(delta.rounds_opened[0].round, 1);
  EXPECT_EQ(delta.rounds_opened[0].idle_before, Milliseconds(7'000));
}

TEST_F(ResumeTest, RunsAPureCallAgain) {
  const Actions actions =
      resume_with(stored({{"a", ToolCallState::Running}}, EffectClass::Pure, "look"));
  EXPECT_EQ(count<action::RunTool>(actions), 1);
  EXPECT_EQ(state_.bill.wasted_here, 0);
  EXPECT_FALSE(state_.calls.at(0).maybe_done);
}

TEST_F(ResumeTest, RunsAKeyedOrReconcilableCallAgainAsOneThatMayHaveHappened) {
  for (const auto& [effect, tool] :
       {std::pair{EffectClass::Keyed, "write"}, std::pair{EffectClass::Reconcilable, "book"}}) {
    const Actions actions = resume_with(stored({{"a", ToolCallState::Running}}, effect, tool));
    EXPECT_EQ(count<action::RunTool>(actions), 1);
    EXPECT_TRUE(state_.calls.at(0).maybe_done);
  }
}

TEST_F(ResumeTest, RunsAnIntendedCallAsOneThatNeverRan) {
  resume_with(stored({{"a", ToolCallState::Intended}}, EffectClass::Reconcilable, "book"));
  EXPECT_EQ(count<action::RunTool>(on(event::Committed{})), 1);
  EXPECT_FALSE(state_.calls.at(0).maybe_done);
}

TEST_F(ResumeTest, DoesNotKnowWhatAStartedCallDidWhenTheJobEndsBeforeAnybodyLooked) {
  for (const EffectClass effect : {EffectClass::Keyed, EffectClass::Reconcilable}) {
    ResumeInput input;
    input.job = state_.job;
    input.stored = stored({{"a", ToolCallState::Running}}, effect, "write");
    state_ = resume(std::move(input), moment_).value();
    const Actions actions = on(event::Stop{endings::invalid_job("no such agent")});
    EXPECT_EQ(committed(actions).calls_finished.at(0).result.state, ToolCallState::Unknown);
  }
}

TEST_F(ResumeTest, NeverRunsAStartedOnceCallAgain) {
  const Actions actions =
      resume_with(stored({{"a", ToolCallState::Running}}, EffectClass::Once, "send"));
  EXPECT_EQ(count<action::RunTool>(actions), 0);
  EXPECT_EQ(committed(actions).calls_finished.at(0).result.state, ToolCallState::Unknown);
  EXPECT_EQ(count<action::AskModel>(on(event::Committed{})), 1);
}

TEST_F(ResumeTest, LeavesAStartedOnceCallToAPersonWhereThatIsAskedFor) {
  profile_.on_unknown = OnUnknown::WaitForPerson;
  const Actions actions =
      resume_with(stored({{"a", ToolCallState::Running}}, EffectClass::Once, "send"));
  EXPECT_EQ(actions.size(), 1u);
  EXPECT_EQ(count<action::WaitForPerson>(actions), 1);
}

TEST_F(ResumeTest, FinishesTheOtherCallsOfTheStepBeforeItWaitsForAPerson) {
  profile_.on_unknown = OnUnknown::WaitForPerson;
  const Actions actions = resume_with(stored(
      {{"a", ToolCallState::Running}, {"b", ToolCallState::Intended}}, EffectClass::Once, "send"));
  EXPECT_EQ(committed(actions).calls_started.size(), 1u);
  EXPECT_EQ(count<action::RunTool>(on(event::Committed{})), 1);
  const Actions finished = on(event::ToolFinished{1, succeeded("b", "sent")});
  EXPECT_EQ(committed(finished).calls_finished.size(), 1u);
  EXPECT_EQ(count<action::WaitForPerson>(finished), 0);
  EXPECT_EQ(count<action::WaitForPerson>(on(event::Committed{})), 1);
}

TEST_F(ResumeTest, ACancelledJobEndsWithoutAPersonsAnswer) {
  profile_.on_unknown = OnUnknown::WaitForPerson;
  ResumeInput input;
  input.job = state_.job;
  input.profile = profile_;
  input.stored = stored({{"a", ToolCallState::Running}}, EffectClass::Once, "send");
  state_ = resume(std::move(input), moment_).value();
  const Actions actions = on(event::Begin{endings::cancelled()});
  EXPECT_EQ(outcome(actions), Outcome::Cancelled);
  EXPECT_EQ(committed(actions).calls_finished.at(0).result.state, ToolCallState::Unknown);
}

TEST_F(ResumeTest, ReportsCacheHitsAndTokensOfTheRowsAndOfWhatFollows) {
  StoredJob rows = stored({{"a", ToolCallState::Succeeded},
                           {"b", ToolCallState::Succeeded},
                           {"c", ToolCallState::Intended}},
                          EffectClass::Pure, "look");
  rows.calls[0].cache_hit = true;
  rows.calls[0].tokens = 7;
  rows.calls[0].duration = Milliseconds(3);
  rows.calls[1].retry_count = 2;
  rows.calls[1].duration = Milliseconds(8);
  resume_with(std::move(rows));
  ToolResult last = succeeded("c", "seen c");
  last.telemetry.cache_hit = true;
  last.telemetry.output_tokens = 9;
  last.duration = Milliseconds(4);
  on(event::ToolFinished{2, std::move(last)});
  ASSERT_EQ(state_.bill.tool_uses.size(), 3U);
  EXPECT_TRUE(state_.bill.tool_uses[0].cache_hit);
  EXPECT_FALSE(state_.bill.tool_uses[1].cache_hit);
  EXPECT_TRUE(state_.bill.tool_uses[2].cache_hit);
  EXPECT_EQ(state_.bill.tool_uses[0].tokens, 7);
  EXPECT_EQ(state_.bill.tool_uses[1].tokens, 0);
  EXPECT_EQ(state_.bill.tool_uses[2].tokens, 9);
  on(event::Committed{});
  const nlohmann::json json = report(answer(reply_text("42")));
  EXPECT_EQ(json.at("successful_calls"), 3);
  EXPECT_EQ(json.at("retried_calls"), 1);
  EXPECT_EQ(json.at("tools").at(0).at("call_count"), 3);
  EXPECT_EQ(json.at("tools").at(0).at("cache_hits"), 2);
  EXPECT_EQ(json.at("tools").at(0).at("avg_duration_ms"), 5.0);
  EXPECT_EQ(json.at("tools").at(0).at("p95_duration_ms"), "8");
}

TEST_F(ResumeTest, ReportsFailuresAndUnknownOutcomesOfTheRows) {
  resume_with(stored({{"a", ToolCallState::Failed},
                      {"b", ToolCallState::Unknown},
                      {"c", ToolCallState::Succeeded}},
                     EffectClass::Pure, "look"));
  on(event::Committed{});
  const Actions actions = answer(reply_text("42"));
  EXPECT_EQ(report(actions).at("successful_calls"), 1);
  EXPECT_EQ(report(actions).at("failed_calls"), 2);
  EXPECT_EQ(committed(actions).finished->result.totals.tool_calls_failed, 2);
}

TEST_F(ResumeTest, CopiedCallsAndMessagesAreInTheReportOfTheJobTheyWereMadeIn) {
  StoredJob rows = stored({{"a", ToolCallState::Succeeded}, {"b", ToolCallState::Failed}},
                          EffectClass::Pure, "look");
  for (StoredToolCall& call : rows.calls) call.copied = true;
  rows.tally.copied_step = 1;
  resume_with(std::move(rows));
  on(event::Committed{});
  answer(reply_calls({{"c", "look"}}), StopReason::ToolUse);
  on(event::Committed{});
  on(event::ToolFinished{0, succeeded("c", "seen c")});
  on(event::Committed{});
  const Actions actions = answer(reply_text("42"));
  const nlohmann::json json = report(actions);
  EXPECT_EQ(json.at("successful_calls"), 1) << "c alone";
  EXPECT_FALSE(json.contains("failed_calls"));
  EXPECT_EQ(json.at("tools").at(0).at("call_count"), 1);
  EXPECT_EQ(json.at("messages_count"), 3) << "reply, observation, answer";
  const JobTotals& totals = committed(actions).finished->result.totals;
  EXPECT_EQ(totals.tool_calls, 3);
  EXPECT_EQ(totals.tool_calls_failed, 1);
}

TEST_F(ResumeTest, ACallInDoubtKnowsWithWhichVersionItsToolHadIt) {
  StoredJob rows = stored({{"a", ToolCallState::Running}, {"b", ToolCallState::Intended}},
                          EffectClass::Reconcilable, "send");
  for (StoredToolCall& call : rows.calls) call.tool_version = "1.0+old";
  resume_with(rows);
  EXPECT_EQ(state_.calls.at(0).begun_version, "1.0+old");
  EXPECT_EQ(state_.calls.at(1).begun_version, "") << "it begins with the tool as it is now";
}

TEST_F(ResumeTest, WithoutACopyAllMessagesOfTheRowsAreTheJobsOwn) {
  resume_with(stored({{"a", ToolCallState::Succeeded}}, EffectClass::Pure, "look"));
  on(event::Committed{});
  EXPECT_EQ(report(answer(reply_text("42"))).at("messages_count"), 4);
}

TEST_F(ResumeTest, ReportsTheCompressionsOfTheRowsWhenNoReplyFollows) {
  ResumeInput input;
  input.job = state_.job;
  input.stored = stored({{"a", ToolCallState::Succeeded}}, EffectClass::Pure, "look");
  input.stored.tally.compressions = 3;
  state_ = resume(std::move(input), moment_).value();
  EXPECT_EQ(report(on(event::Begin{endings::cancelled()})).at("compression_events"), 3);
}

TEST_F(ResumeTest, OneThatIsOnlyEndedReportsWhatIsDurableOfIt) {
  SalvageInput input;
  input.job = state_.job;
  const StoredJob rows = stored({{"a", ToolCallState::Succeeded}, {"b", ToolCallState::Running}},
                                EffectClass::Once, "send");
  input.remains.rounds = rows.rounds;
  input.remains.calls = rows.calls;
  input.remains.calls[0].retry_count = 1;
  input.remains.tally.messages = 3;
  input.remains.tally.compressions = 2;
  state_ = salvage(std::move(input), moment_);
  const Actions actions = on(event::Stop{endings::cancelled()});
  const nlohmann::json json = report(actions);
  EXPECT_EQ(json.at("messages_count"), 4) << "with the observation that its end writes";
  EXPECT_EQ(json.at("compression_events"), 2);
  EXPECT_EQ(json.at("successful_calls"), 1);
  EXPECT_EQ(json.at("failed_calls"), 1);
  EXPECT_EQ(json.at("retried_calls"), 1);
}

/// Where it was, another worker has the same sums, and the next call saves what it would have.
TEST_F(ResumeTest, WhatWasSavedAndIsSavedByEachCallFollowsFromTheRows) {
  StoredJob rows = stored({{"a", ToolCallState::Succeeded}, {"b", ToolCallState::Succeeded}},
                          EffectClass::Pure, "look");
  rows.earlier_saved_tokens = 1'000;
  rows.calls[0].saved_tokens = 30;
  rows.calls[1].saved_tokens = -4;
  rows.rounds.at(0).savings = {{1, 2}, {3, 4}, {}, {5, 6}};
  rows.sub_agents.spent.savings = {{10, 20}, {30, 40}, {}, {50, 60}};
  SummaryRow summary;
  summary.state = SummaryState::Failed;
  summary.model = "p/m";
  summary.usage.output_tokens = 7;
  summary.cost_micro_usd = 8;
  rows.summaries = {summary};
  resume_with(std::move(rows));
  const Savings before{{11, 22}, {33, 44}, {}, {48, 58}};
  EXPECT_EQ(state_.bill.totals.savings, before);
  on(event::Committed{});
  const Actions actions = answer(reply_text("42"));
  Savings call;
  call.encoding.tokens = 1'026;
  EXPECT_EQ(committed(actions).steps.at(0).savings, call);
  Savings all = before;
  all += call;
  EXPECT_EQ(committed(actions).finished->result.totals.savings, all);
  EXPECT_EQ(report(actions).at("saved_tokens"), std::to_string(all.total().tokens));
  EXPECT_EQ(report(actions).at("savings").at("compression").at("micro_usd"), "58");
}

TEST_F(ResumeTest, StartsAnIntendedOnceCallThatNeverRan) {
  const Actions actions =
      resume_with(stored({{"a", ToolCallState::Intended}}, EffectClass::Once, "send"));
  EXPECT_EQ(committed(actions).calls_started.size(), 1u);
}

TEST_F(ResumeTest, RunsOnlyTheCallsWithoutAResult) {
  const Actions actions =
      resume_with(stored({{"a", ToolCallState::Succeeded}, {"b", ToolCallState::Intended}},
                         EffectClass::Pure, "look"));
  EXPECT_EQ(count<action::RunTool>(actions), 1);
  on(event::ToolFinished{1, succeeded("b", "new")});
  on(event::Committed{});
  ASSERT_EQ(state_.history.messages.size(), 4u);
  EXPECT_EQ(std::get<ToolMessage>(state_.history.messages[2]).content, "seen a");
  EXPECT_EQ(std::get<ToolMessage>(state_.history.messages[3]).content, "new");
}

TEST_F(ResumeTest, AsksTheModelWhenEveryResultIsThereAndCountsTheLostCall) {
  const Actions actions =
      resume_with(stored({{"a", ToolCallState::Succeeded}}, EffectClass::Pure, "look"));
  EXPECT_EQ(committed(actions).wasted_model_calls, 1);
  EXPECT_EQ(count<action::AskModel>(on(event::Committed{})), 1);
  EXPECT_EQ(state_.round.step, 1);
  EXPECT_EQ(state_.history.messages.size(), 3u);
}

TEST_F(ResumeTest, GoesOnWithTheRoundAfterTheLastClosedOne) {
  state_.job.messages = {"one", "two"};
  StoredJob rows;
  HumanMessage human;
  human.text = "one";
  rows.messages.push_back({{0, 0, 0}, human});
  rows.messages.push_back({{0, 1, 0}, reply_text("1")});
  StoredRound round;
  round.status = RoundStatus::Completed;
  round.final_answer = "1";
  round.steps = 1;
  rows.rounds.push_back(round);
  resume_with(rows);
  on(event::Committed{});
  EXPECT_EQ(state_.round.number, 1);
  const Actions last = answer(reply_text("2"));
  EXPECT_EQ(committed(last).finished.value().result.answers.size(), 2u);
  EXPECT_EQ(committed(last).finished->result.totals.steps, 2);
}

TEST_F(ResumeTest, RefusesRowsThatContradictEachOther) {
  StoredJob rows = stored({{"a", ToolCallState::Succeeded}}, EffectClass::Pure, "look");
  rows.calls.clear();
  ResumeInput input;
  input.job = state_.job;
  input.stored = rows;
  const auto resumed = resume(std::move(input), moment_);
  ASSERT_FALSE(resumed);
  EXPECT_EQ(resumed.error().code, ErrorCode::Corrupt);
}

}  // namespace
}  // namespace ba
