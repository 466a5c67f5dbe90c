// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/progress_observer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ba::runtime {
namespace {

using ::testing::ElementsAre;

class StoppedClock final : public Clock {
 public:
  SteadyTime now() const override { return {}; }
  WallTime wall() const override { return WallTime{Microseconds(5)}; }
};

class ProgressObserverTest : public ::testing::Test {
 protected:
  ProgressObserverTest() {
    state_.job.tenant = TenantId("acme");
    state_.job.job_id = JobId("j");
    state_.job.conversation_id = ConversationId("c");
    state_.job.messages = {"How many\nflights?"};
    state_.claim.attempt = 2;
  }

  std::vector<std::string> kinds() const {
    std::vector<std::string> names;
    for (const ProgressEvent& event : events_) names.emplace_back(to_string(event.kind));
    return names;
  }

  StoppedClock clock_;
  std::vector<ProgressEvent> events_;
  ProgressObserver observer_{clock_,
                             [this](const ProgressEvent& event) { events_.push_back(event); }};
  ConversationState state_;
};

TEST_F(ProgressObserverTest, TellsWhatHappensInAJobInOrder) {
  CallState call;
  call.call.name = "query_database";
  call.position.step = 1;
  call.position.index = 1;
  Delta step;
  step.steps.emplace_back().step = 1;
  Delta last;
  last.rounds_closed.emplace_back().final_answer = "42";
  JobResult result;
  result.outcome = Outcome::Completed;

  observer_.job_started(state_);
  observer_.model_asked(state_);
  observer_.committed(state_, step);
  observer_.tool_started(state_, call);
  observer_.tool_finished(state_, call, ToolResult{});
  state_.round.step = 1;
  observer_.model_asked(state_);  // no new round
  observer_.committed(state_, last);
  observer_.job_finished(state_, result);

  EXPECT_THAT(kinds(),
              ElementsAre("job_started", "round_started", "step_finished", "tool_call_started",
                          "tool_call_finished", "round_finished", "job_finished"));
  for (const ProgressEvent& event : events_) {
    EXPECT_EQ(event.tenant.value, "acme");
    EXPECT_EQ(event.job_id.value, "j");
    EXPECT_EQ(event.conversation_id.value, "c");
    EXPECT_EQ(event.attempt, 2);
    EXPECT_EQ(event.time, clock_.wall());
  }
  EXPECT_EQ(events_[1].text, "How many flights?");
  EXPECT_EQ(events_[3].tool_name, "query_database");
  EXPECT_EQ(events_[3].index, 0);
  EXPECT_EQ(events_[4].status, "succeeded");
  EXPECT_EQ(events_[5].text, "42");
  EXPECT_EQ(events_[6].status, "completed");
}

TEST_F(ProgressObserverTest, CutsAToolNameThatAModelMadeUp) {
  CallState call;
  call.call.name = std::string(1000, 'x') + "\n";
  observer_.tool_finished(state_, call, ToolResult{});
  EXPECT_EQ(events_[0].tool_name, std::string(200, 'x'));
  EXPECT_EQ(events_[0].text, std::string(200, 'x') + " in 0 ms");
}

TEST_F(ProgressObserverTest, TellsNothingOfASubAgent) {
  state_.claim.asked_by = AskingCall{LedgerJobId(1), {0, 1, 1}};
  observer_.job_started(state_);
  observer_.model_asked(state_);
  EXPECT_TRUE(events_.empty());
}

TEST(ProgressLine, IsOneLineOfAtMost200CodePoints) {
  EXPECT_EQ(progress_line("a\nb\x1b c"), "a b  c");
  std::string umlauts;
  for (int i = 0; i < 300; ++i) umlauts += "ü";
  EXPECT_EQ(progress_line(umlauts), umlauts.substr(0, 400));
}

}  // namespace
}  // namespace ba::runtime
