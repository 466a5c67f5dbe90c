// SPDX-License-Identifier: Apache-2.0
// The law of a call: what each event does in each phase. What stands nowhere can't happen, and
// asserts. What the results say, and with which waits, is in the tests of ToolRuntime.
#include "pipeline/core/tool/call_protocol.hpp"

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>

#include "pipeline/base/enum_names.hpp"
#include "tests/support/fixed_random.hpp"
#include "tests/support/law_table.hpp"

namespace ba {
namespace {

using Phase = CallProtocol::Phase;

constexpr EnumNames<Phase, 8> kPhases{{{Phase::Preparing, "Preparing"},
                                       {Phase::Queueing, "Queueing"},
                                       {Phase::Trying, "Trying"},
                                       {Phase::Resting, "Resting"},
                                       {Phase::Asking, "Asking"},
                                       {Phase::Doubting, "Doubting"},
                                       {Phase::Ending, "Ending"},
                                       {Phase::Abandoned, "Abandoned"}}};

/// A tool and how a call of it has come to where it is; below it what comes of each event there, as
/// `phase: next | events`. `begun`: an earlier attempt began the call.
constexpr const char* kLaw = R"(
reconcilable:
  Queueing: Try | prepared
  Ending: | remembered
  Ending: Fail | refused

reconcilable begun:
  Asking: Ask | prepared
  Ending: | remembered
  Ending: LeaveUnknown | refused

reconcilable: prepared
  Trying: | let_in
  Ending: Fail | crowded_out
  Abandoned: | abandoned

reconcilable: prepared let_in
  Ending: Succeed | answered
  Doubting: Rest | lost
  Ending: Fail | failed failed_for_good lost_nothing

reconcilable: prepared let_in lost
  Asking: Ask | rested

reconcilable begun: prepared
  Doubting: Rest | asked_in_vain
  Ending: LeaveUnknown | cannot_tell
  Queueing: Try | did_not_happen
  Ending: Succeed | happened
  Ending: Fail | happened_and_failed
  Abandoned: | abandoned

reconcilable: prepared let_in lost rested did_not_happen
  Trying: | let_in
  Ending: Fail | crowded_out
  Abandoned: | abandoned

reconcilable: prepared let_in answered
  Ending: LeaveUnknown | unreadable

reconcilable: prepared abandoned

pure begun:
  Queueing: Try | prepared
  Ending: | remembered
  Ending: Fail | refused

pure: prepared let_in
  Ending: Succeed | answered
  Resting: Rest | failed lost lost_nothing
  Ending: Fail | failed_for_good

pure: prepared let_in failed
  Queueing: Try | rested

pure: prepared let_in answered
  Ending: Fail | unreadable

keyed begun:
  Queueing: Try | prepared
  Ending: | remembered
  Ending: LeaveUnknown | refused

keyed begun: prepared let_in
  Ending: Succeed | answered
  Resting: Rest | failed lost lost_nothing
  Ending: LeaveUnknown | failed_for_good

keyed begun: prepared let_in lost_nothing rested let_in
  Ending: Succeed | answered
  Resting: Rest | failed lost lost_nothing
  Ending: Fail | failed_for_good

keyed: prepared let_in lost rested
  Trying: | let_in
  Ending: LeaveUnknown | crowded_out
  Abandoned: | abandoned

once: prepared let_in
  Ending: Succeed | answered
  Ending: Fail | failed failed_for_good lost_nothing
  Ending: LeaveUnknown | lost

once begun:
  Doubting: Rest | prepared
  Ending: | remembered
  Ending: LeaveUnknown | refused

once begun: prepared
  Ending: LeaveUnknown | rested
)";

struct Telling {
  std::string operator()(const CallProtocol::Try&) const { return " Try"; }
  std::string operator()(const CallProtocol::Ask&) const { return " Ask"; }
  std::string operator()(const CallProtocol::Rest&) const { return " Rest"; }
  std::string operator()(const CallProtocol::Succeed&) const { return " Succeed"; }
  std::string operator()(const CallProtocol::Fail&) const { return " Fail"; }
  std::string operator()(const CallProtocol::LeaveUnknown&) const { return " LeaveUnknown"; }
};

ToolError error_of(ToolErrorType type) { return {.type = type, .code = "NO", .message = "no"}; }

RawToolResult failed(ToolErrorType type) {
  RawToolResult raw;
  raw.error = error_of(type);
  return raw;
}

using Next = std::optional<CallProtocol::Next>;
using Happenings = std::map<std::string, std::function<Next(CallProtocol&)>>;

Happenings happenings() {
  using Verdict = EffectStatus::Verdict;
  const auto passes = failed(ToolErrorType::TransientError);
  const auto stays = failed(ToolErrorType::ValidationError);
  RawToolResult lost;
  lost.outcome_unknown = true;
  RawToolResult lost_nothing = passes;
  lost_nothing.never_happened = true;
  const auto answered = [](RawToolResult raw) {
    return [raw](CallProtocol& call) { return Next(call.answered(raw)); };
  };
  const auto told = [](Verdict verdict, RawToolResult result = {}) {
    return [=](CallProtocol& call) { return Next(call.status_answered({verdict, result})); };
  };
  const auto silent = [](void (CallProtocol::*event)()) {
    return [event](CallProtocol& call) {
      (call.*event)();
      return Next();
    };
  };
  const auto error = error_of(ToolErrorType::ResourceError);
  return {
      {"prepared", [](CallProtocol& call) { return call.prepared(); }},
      {"refused", [error](CallProtocol& call) { return call.refused(error); }},
      {"remembered", silent(&CallProtocol::remembered)},
      {"let_in", silent(&CallProtocol::let_in)},
      {"crowded_out", [error](CallProtocol& call) { return call.crowded_out(error); }},
      {"answered", answered({})},
      {"failed", answered(passes)},
      {"failed_for_good", answered(stays)},
      {"lost", answered(lost)},
      {"lost_nothing", answered(lost_nothing)},
      {"happened", told(Verdict::Happened)},
      {"happened_and_failed", told(Verdict::Happened, stays)},
      {"did_not_happen", told(Verdict::DidNotHappen)},
      {"asked_in_vain", told(Verdict::CannotTell, passes)},
      {"cannot_tell", told(Verdict::CannotTell)},
      {"rested", [](CallProtocol& call) { return call.rested(); }},
      {"unreadable", [error](CallProtocol& call) { return call.unreadable(error); }},
      {"abandoned", silent(&CallProtocol::abandoned)},
  };
}

test::Law law() { return test::law_of(kLaw); }

class CallProtocolTest : public testing::Test {
 protected:
  CallProtocol at(const std::string& situation) {
    const auto colon = situation.find(':');
    const std::string tool = situation.substr(0, colon);
    const auto effect = parse_effect_class(tool.substr(0, tool.find(' ')));
    EXPECT_TRUE(effect) << situation;
    CallProtocol call(policy_, random_, {}, *effect, tool.ends_with(" begun"));
    std::istringstream path(situation.substr(colon + 1));
    for (std::string event; path >> event;) happenings_.at(event)(call);
    return call;
  }

  std::string told(const std::string& situation, const std::string& event) {
    CallProtocol call = at(situation);
    const Next next = happenings_.at(event)(call);
    const std::string phase(name_of(kPhases, call.phase()));
    return phase + ":" + (next ? std::visit(Telling{}, *next) : "");
  }

  const Happenings happenings_ = happenings();
  ToolRetryPolicy policy_;
  FixedRandom random_;
};

TEST_F(CallProtocolTest, KeepsTheLaw) {
  for (const auto& [situation, events] : law())
    for (const auto& [event, outcome] : events)
      EXPECT_EQ(told(situation, event), outcome) << situation << ", " << event;
}

TEST_F(CallProtocolTest, AssertsWhatCannotHappenInThePhase) {
  for (const auto& [situation, events] : law()) {
    if (situation.starts_with("keyed") || situation.starts_with("once"))
      continue;  // no other phases
    for (const auto& [event, happening] : happenings_) {
      if (events.contains(event)) continue;
      EXPECT_DEATH(told(situation, event), "assertion failed: ") << situation << ", " << event;
    }
  }
}

TEST_F(CallProtocolTest, EndsWithoutATryThatIsLeft) {
  policy_.max_retries = 0;
  EXPECT_EQ(told("pure: prepared let_in", "failed"), "Ending: Fail");
  EXPECT_EQ(told("keyed: prepared let_in", "lost"), "Ending: LeaveUnknown");
  EXPECT_EQ(told("reconcilable begun: prepared", "asked_in_vain"), "Ending: LeaveUnknown");
  EXPECT_EQ(told("reconcilable: prepared let_in lost rested", "did_not_happen"), "Ending: Fail");
  EXPECT_EQ(told("reconcilable begun: prepared", "did_not_happen"), "Queueing: Try");
}

}  // namespace
}  // namespace ba
