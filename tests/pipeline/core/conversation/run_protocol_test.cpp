// SPDX-License-Identifier: Apache-2.0
// The law of a run: what each event does in each situation. What stands nowhere can't happen, and
// asserts. Below it what a table of phases and actions doesn't say.
#include "pipeline/core/conversation/run_protocol.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>

#include "pipeline/base/enum_names.hpp"
#include "tests/pipeline/core/conversation/machine_fixture.hpp"
#include "tests/pipeline/core/conversation/run_law.hpp"
#include "tests/support/law_table.hpp"

namespace ba {
namespace {

constexpr EnumNames<RunPhase, 12> kPhases{{{RunPhase::Loading, "Loading"},
                                           {RunPhase::Opening, "Opening"},
                                           {RunPhase::Running, "Running"},
                                           {RunPhase::HaltingAgents, "HaltingAgents"},
                                           {RunPhase::Stopping, "Stopping"},
                                           {RunPhase::LettingGo, "LettingGo"},
                                           {RunPhase::GivingBack, "GivingBack"},
                                           {RunPhase::Halting, "Halting"},
                                           {RunPhase::Refused, "Refused"},
                                           {RunPhase::Reloading, "Reloading"},
                                           {RunPhase::Closing, "Closing"},
                                           {RunPhase::Over, "Over"}}};

constexpr EnumNames<RunEnd, 5> kEnds{{{RunEnd::Finished, "Finished"},
                                      {RunEnd::AtBoundary, "AtBoundary"},
                                      {RunEnd::Unresolved, "Unresolved"},
                                      {RunEnd::Broken, "Broken"},
                                      {RunEnd::Fenced, "Fenced"}}};

struct Telling {
  std::string operator()(action::AskModel) const { return "AskModel"; }
  std::string operator()(action::GoOnAsking) const { return "GoOnAsking"; }
  std::string operator()(action::RunTool) const { return "RunTool"; }
  std::string operator()(const action::Commit& write) const {
    if (!write.delta.finished) return "Write";
    return "Write(" + std::string(to_string(write.delta.finished->result.outcome)) + ")";
  }
  std::string operator()(action::AbortAll) const { return "AbortAll"; }
  std::string operator()(action::DropSummary) const { return "DropSummary"; }
  std::string operator()(run::Load) const { return "Load"; }
  std::string operator()(run::Open open) const { return open.again ? "Open(again)" : "Open"; }
  std::string operator()(run::ArmDeadline) const { return "ArmDeadline"; }
  std::string operator()(run::DisarmDeadline) const { return "DisarmDeadline"; }
  std::string operator()(run::DropModel) const { return "DropModel"; }
  std::string operator()(run::DropTools) const { return "DropTools"; }
  std::string operator()(run::HaltSubAgents) const { return "HaltSubAgents"; }
  std::string operator()(run::LetGo) const { return "LetGo"; }
  std::string operator()(run::RetryWrite) const { return "RetryWrite"; }
  std::string operator()(run::HandBack back) const {
    return "HandBack(" + std::string(name_of(kEnds, back.how)) + ")";
  }
  std::string operator()(run::End end) const {
    return "End(" + std::string(name_of(kEnds, end.how)) + ")";
  }
};

Error failure(ErrorCode code) {
  Error error;
  error.code = code;
  error.message = "no";
  return error;
}

struct Happening {
  std::function<RunEvent()> event;
  RunFacts facts{};
};

using Happenings = std::map<std::string, Happening>;

class RunProtocolTest : public MachineTest {
 protected:
  RunProtocolTest() { begin(); }

  void begin() { run_.emplace(context_, std::nullopt); }

  JobStart start() const {
    JobStart start;
    start.state = std::make_unique<ConversationState>(state_);
    return start;
  }

  RunActions happen(const Happening& happening) {
    RunFacts facts = happening.facts;
    facts.at = moment_;
    return run_->on(happening.event(), facts);
  }

  void happen(const std::string& name) { happen(events().at(name)); }

  void happen_all(const std::vector<std::string>& names) {
    for (const std::string& name : names) happen(name);
  }

  std::string told(const std::string& name) { return told(events().at(name)); }

  std::string told(const Happening& happening) {
    const RunActions actions = happen(happening);
    std::string text = std::string(name_of(kPhases, run_->phase())) + ":";
    for (const RunAction& action : actions) text += " " + std::visit(Telling{}, action);
    return text;
  }

  RunEvent reply(std::vector<std::pair<std::string, std::string>> calls) const {
    event::ModelAnswered answered;
    answered.reply.message = calls.empty() ? reply_text("four") : reply_calls(std::move(calls));
    answered.reply.provider = "scripted";
    answered.reply.model = "m";
    return Event(std::move(answered));
  }

  static RunEvent used(std::int64_t cost) {
    SubAgentUse use;
    use.spent.cost_micro_usd = cost;
    return Event(event::SubAgentsUsed{use});
  }

  template <typename E>
  static Happening plain() {
    return {[] { return RunEvent(E{}); }};
  }

  static Happening write_failed(ErrorCode code) {
    return {[code] { return RunEvent(run::WriteFailed{failure(code)}); }};
  }

  static Happening load_failed(ErrorCode code) {
    return {[code] { return RunEvent(run::LoadFailed{failure(code)}); }};
  }

  /// Of a step's two calls.
  static Happening first_suspended() {
    return {[] { return RunEvent(run::CallSuspended{{0, 1, 1}}); }};
  }

  static Happening with_agents(Happening happening) {
    happening.facts.sub_agents = true;
    return happening;
  }

  static Happening with_paid(Happening happening) {
    happening.facts.model_paid = true;
    return happening;
  }

  Happenings events() const {
    SummaryRow lost;
    lost.state = SummaryState::Lost;
    return {
        {"Loaded", {[this] { return RunEvent(run::Loaded{start()}); }}},
        {"LoadFailed", load_failed(ErrorCode::Corrupt)},
        {"LoadFailed/fenced", load_failed(ErrorCode::Fenced)},
        {"Opened", plain<run::Opened>()},
        {"Drain", plain<run::Drain>()},
        {"Pause", plain<run::Pause>()},
        {"GraceOver", plain<run::GraceOver>()},
        {"GraceOver+paid", with_paid(plain<run::GraceOver>())},
        {"GraceOver+agents", with_agents(plain<run::GraceOver>())},
        {"Cancel", plain<run::Cancel>()},
        {"Cancel+agents", with_agents(plain<run::Cancel>())},
        {"DeadlineReached", plain<run::DeadlineReached>()},
        {"DeadlineReached+agents", with_agents(plain<run::DeadlineReached>())},
        {"LeaseLost", plain<run::LeaseLost>()},
        {"Halt", plain<run::Halt>()},
        {"Written", plain<run::Written>()},
        {"WriteFailed/fenced", write_failed(ErrorCode::Fenced)},
        {"WriteFailed/trouble", write_failed(ErrorCode::Unavailable)},
        {"WriteFailed/conflict", write_failed(ErrorCode::Conflict)},
        {"WriteFailed/too_large", write_failed(ErrorCode::LimitExceeded)},
        {"WriteFailed/refused", write_failed(ErrorCode::InvalidArgument)},
        {"WriteFailed/refused+agents", with_agents(write_failed(ErrorCode::InvalidArgument))},
        {"SubAgentsHalted", plain<run::SubAgentsHalted>()},
        {"SubAgentsHalted+agents", with_agents(plain<run::SubAgentsHalted>())},
        {"SubAgentsGone", plain<run::SubAgentsGone>()},
        {"CallSuspended", first_suspended()},
        {"CallSuspended+agents", with_agents(first_suspended())},
        {"LetGone", plain<run::LetGone>()},
        {"LetGone/summary", {[lost] { return RunEvent(run::LetGone{lost}); }}},
        {"SubAgentsUsed", {[] { return used(1); }}},
        {"SubAgentsUsed/limit", {[] { return used(1'000'000'000); }}},
        {"SummaryEnded", {[lost] { return RunEvent(Event(event::SummaryEnded{lost})); }}},
        {"ModelAnswered", {[this] { return reply({}); }}},
        {"ModelAnswered/calls", {[this] {
           return reply({{"c1", "look"}, {"c2", "look"}});
         }}},
    };
  }

  /// How each situation comes about.
  static std::map<std::string, std::vector<std::string>> situations() {
    const std::vector<std::string> asking{"Loaded", "Opened"};
    const auto then = [](std::vector<std::string> first, const std::vector<std::string>& more) {
      first.insert(first.end(), more.begin(), more.end());
      return first;
    };
    const auto writing = then(asking, {"ModelAnswered/calls"});
    const auto tools = then(writing, {"Written"});
    const auto reloading = then(writing, {"WriteFailed/refused"});
    return {
        {"Loading", {}},
        {"Opening", {"Loaded"}},
        {"Opening, cancelled", {"Cancel", "Loaded"}},
        {"Opening, paused", {"Pause", "Loaded"}},
        {"Running, the model is asked", asking},
        {"Running, a step is written", writing},
        {"Running, tools run", tools},
        {"Running, tools run, grace is over", then(tools, {"GraceOver+agents"})},
        {"HaltingAgents", then(tools, {"Cancel+agents"})},
        {"Running, the end is written", then(tools, {"Cancel"})},
        {"Stopping", then(tools, {"Cancel+agents", "SubAgentsHalted+agents"})},
        {"Stopping, at its deadline",
         then(tools, {"DeadlineReached+agents", "SubAgentsHalted+agents"})},
        {"Stopping, at its deadline, cancelled",
         then(tools, {"DeadlineReached+agents", "SubAgentsHalted+agents", "Cancel+agents"})},
        {"Stopping, cancelled, at its deadline",
         then(tools, {"Cancel+agents", "SubAgentsHalted+agents", "DeadlineReached+agents"})},
        {"Stopping, a step is written", then(writing, {"Cancel+agents", "SubAgentsHalted+agents"})},
        {"Stopping, a step was written",
         then(writing, {"Cancel+agents", "SubAgentsHalted+agents", "Written"})},
        {"LettingGo, nothing is lost", {"Pause", "Loaded", "Opened"}},
        {"LettingGo", then(asking, {"GraceOver+paid"})},
        {"GivingBack", then(asking, {"GraceOver+paid", "LetGone"})},
        {"GivingBack, at its deadline",
         then(asking, {"GraceOver+paid", "LetGone", "DeadlineReached"})},
        {"GivingBack, cancelled", then(asking, {"GraceOver+paid", "LetGone", "Cancel"})},
        {"Halting", then(writing, {"Halt"})},
        {"Refused", then(writing, {"WriteFailed/refused+agents", "SubAgentsHalted+agents"})},
        {"Reloading", reloading},
        {"Opening, again", then(reloading, {"Loaded"})},
        {"Closing", then(reloading, {"Loaded", "Opened"})},
        {"Over", {"Drain"}},
    };
  }

  std::optional<RunProtocol> run_;
};

test::Law law() { return test::law_of(kLaw); }

TEST_F(RunProtocolTest, TheLawHasEverySituationAndNoOther) {
  std::set<std::string> of_law;
  for (const auto& [situation, row] : law()) {
    of_law.insert(situation);
    for (const auto& [event, expected] : row) EXPECT_TRUE(events().contains(event)) << event;
  }
  std::set<std::string> made;
  for (const auto& [situation, events] : situations()) made.insert(situation);
  EXPECT_EQ(of_law, made);
}

TEST_F(RunProtocolTest, EachEventDoesWhatTheLawSays) {
  const test::Law expected = law();
  for (const auto& [situation, way] : situations()) {
    for (const auto& [event, happening] : events()) {
      SCOPED_TRACE(situation + " / " + event);
      const auto& row = expected.at(situation);
      if (!row.contains(event)) continue;
      begin();
      happen_all(way);
      EXPECT_EQ(told(event), row.at(event));
    }
  }
}

TEST_F(RunProtocolTest, WhatTheLawDoesNotNameAsserts) {
  const test::Law expected = law();
  for (const auto& [situation, way] : situations()) {
    for (const auto& [event, happening] : events()) {
      if (expected.at(situation).contains(event)) continue;
      SCOPED_TRACE(situation + " / " + event);
      begin();
      happen_all(way);
      EXPECT_DEATH(told(event), "assertion failed: ");
    }
  }
}

TEST_F(RunProtocolTest, ASummaryIsOfUseWhileItsRunGoesOn) {
  const std::set<std::string> go_on{"Running, a step is written", "Running, the model is asked",
                                    "Running, tools run"};
  for (const auto& [situation, way] : situations()) {
    SCOPED_TRACE(situation);
    begin();
    happen_all(way);
    EXPECT_EQ(run_->wants_summaries(), go_on.contains(situation));
  }
  const std::map<std::string, bool> wanted_after{
      {"SubAgentsUsed", true},          {"Drain", false},         {"Pause", false},
      {"GraceOver+agents", false},      {"Cancel+agents", false}, {"Cancel", false},
      {"DeadlineReached+agents", false}};
  for (const std::string& situation : go_on) {
    for (const auto& [event, wanted] : wanted_after) {
      SCOPED_TRACE(situation + " / " + event);
      begin();
      happen_all(situations().at(situation));
      happen(event);
      EXPECT_EQ(run_->wants_summaries(), wanted);
    }
  }
}

TEST_F(RunProtocolTest, AJobGoesBackUnresolvedWhereAPersonIsToSayWhatBecameOfItsCall) {
  state_.profile.on_unknown = OnUnknown::WaitForPerson;
  begin();
  happen_all({"Loaded", "Opened"});
  EXPECT_EQ(told({[this] { return reply({{"c1", "send"}}); }}), "Running: Write");
  EXPECT_EQ(told("Written"), "Running: Write");  // the start record
  EXPECT_EQ(told("Written"), "Running: RunTool");
  const Happening unknown{[] {
    ToolResult result;
    result.state = ToolCallState::Unknown;
    return RunEvent(Event(event::ToolFinished{0, std::move(result)}));
  }};
  EXPECT_EQ(told(unknown), "LettingGo: LetGo");
  EXPECT_EQ(told("LetGone"), "Over: HandBack(Unresolved)");
}

TEST_F(RunProtocolTest, AJobWithASuspendedCallGoesBackOnceTheOtherIsDurable) {
  happen_all({"Loaded", "Opened", "ModelAnswered/calls", "Written"});
  const Happening second{[] { return RunEvent(Event(event::ToolFinished{1, ToolResult{}})); }};
  EXPECT_EQ(told(second), "Running: Write");
  EXPECT_EQ(told("CallSuspended"), "Running:");
  EXPECT_EQ(told("Written"), "LettingGo: LetGo");
}

TEST_F(RunProtocolTest, ACallThatIsLostWhenTheGraceIsOverIsOnRecordForTheNextRun) {
  happen_all({"Loaded", "Opened", "GraceOver+paid", "LetGone"});
  EXPECT_EQ(run_->lost_calls_recorded(), 0);
  happen("Written");
  EXPECT_EQ(run_->lost_calls_recorded(), 1);
}

TEST_F(RunProtocolTest, AReplyThatCanNotBeStoredIsCountedWhenItsJobEnds) {
  happen_all({"Loaded", "Opened", "ModelAnswered/calls", "WriteFailed/refused", "Loaded"});
  happen("Opened");
  EXPECT_EQ(run_->conversation()->bill.totals.wasted_model_calls, 1);
}

/// The last reply drops the summary that is being written. Where that can't be stored, the
/// summary's row says no more than that it was begun.
class RefusedEnd : public RunProtocolTest {
 protected:
  /// How many calls are lost once the job ends with what was refused.
  int lost_calls(bool asked) {
    begin();
    happen_all({"Loaded", "Opened"});
    SummaryRow begun;
    begun.at = kAt;
    if (asked) happen(Happening{[begun] { return RunEvent(Event(event::SummaryAsked{begun})); }});
    Happening last{[this] { return reply({}); }};
    last.facts.summary = kAt;
    last.facts.summary_paid = asked;
    EXPECT_EQ(told(last),
              asked ? "Running: DropSummary Write(completed)" : "Running: Write(completed)");
    happen("WriteFailed/refused");
    // As resume() finds the row.
    begun.state = SummaryState::Lost;
    state_.summaries.ended = {begun};
    state_.bill.wasted_here = state_.bill.totals.wasted_model_calls = 1;
    happen_all({"Loaded", "Opened"});
    return run_->conversation()->bill.totals.wasted_model_calls;
  }

  static constexpr Position kAt{0, 1, 0};
};

TEST_F(RefusedEnd, LosesItsReplyAloneWhereNoModelWasAskedForTheSummary) {
  EXPECT_EQ(lost_calls(false), 1);
}

TEST_F(RefusedEnd, LosesTheSummaryThatAModelWasAskedFor) { EXPECT_EQ(lost_calls(true), 2); }

}  // namespace
}  // namespace ba
