// SPDX-License-Identifier: Apache-2.0
// A job's date, told with its first question.
#include "pipeline/text/message/job_time.hpp"
#include "pipeline/core/conversation/resume.hpp"
#include "tests/pipeline/core/conversation/machine_fixture.hpp"

namespace ba {
namespace {

class JobTimeTest : public MachineTest {
 protected:
  JobTimeTest() {
    state_.job.messages = {"how many?", "and the week before?", "and before that?"};
    state_.job.created_at = *parse_rfc3339("2026-11-27T23:59:59Z");
    state_.claim.first_claimed_at = *parse_rfc3339("2026-12-24T08:00:00Z");
  }

  const HumanMessage& asked() const {
    return std::get<HumanMessage>(state_.history.messages.back());
  }

  /// What the model reads of the question that is asked now.
  std::string read() const { return text_for_model(asked()); }

  /// From these rows on, as another worker would.
  void resume_with(StoredJob rows) {
    ResumeInput input;
    input.claimed.id = LedgerJobId(7);
    input.claimed.attempt = 2;
    input.claimed.first_claimed_at = state_.claim.first_claimed_at;
    input.job = state_.job;
    input.profile = state_.profile;
    input.stored = std::move(rows);
    auto resumed = resume(std::move(input), moment_);
    ASSERT_TRUE(resumed) << resumed.error().message;
    state_ = std::move(resumed.value());
    on(event::Begin{});
  }

  /// A question and its answer.
  static void add_round(StoredJob& rows, int number) {
    HumanMessage human;
    human.text = "asked before";
    AiMessage reply;
    reply.text = "7";
    rows.messages.push_back({{number, 0, 0}, human});
    rows.messages.push_back({{number, 1, 0}, reply});
    StoredRound round;
    round.round = number;
    round.status = RoundStatus::Completed;
    round.final_answer = "7";
    rows.rounds.push_back(round);
  }

  static StoredJob copied(int rounds) {
    StoredJob rows;
    for (int round = 0; round < rounds; ++round) add_round(rows, round);
    rows.tally.copied_rounds = rounds;
    return rows;
  }
};

TEST_F(JobTimeTest, StandsBeforeTheFirstQuestionWhoseTextIsAsTheUserWroteIt) {
  on(event::Begin{});
  EXPECT_EQ(read(), "Today is Friday, 2026-11-27 (UTC).\n\nhow many?");
  EXPECT_EQ(asked().text, "how many?");
}

TEST_F(JobTimeTest, IsToldOnce) {
  on(event::Begin{});
  answer(reply_text("7"));
  on(event::Committed{});
  EXPECT_EQ(read(), "and the week before?");
}

TEST_F(JobTimeTest, IsDurableWithTheQuestion) {
  on(event::Begin{});
  const Actions actions = answer(reply_text("7"));
  ASSERT_EQ(committed(actions).rounds_opened.size(), 1U);
  EXPECT_EQ(text_for_model(committed(actions).rounds_opened[0].message),
            "Today is Friday, 2026-11-27 (UTC).\n\nhow many?");
}

TEST_F(JobTimeTest, IsOfTheAgentsZone) {
  state_.profile.time_zone = TimeZone::named("Europe/Berlin").value();
  on(event::Begin{});
  EXPECT_EQ(read(), "Today is Saturday, 2026-11-28 (Europe/Berlin).\n\nhow many?");
}

TEST_F(JobTimeTest, IsNotToldWhereThatIsSwitchedOff) {
  state_.profile.tell_time = false;
  on(event::Begin{});
  EXPECT_EQ(read(), "how many?");
}

TEST_F(JobTimeTest, OfAJobWithoutATimeIsWhenItWasFirstClaimed) {
  state_.job.created_at = {};
  on(event::Begin{});
  EXPECT_EQ(read(), "Today is Thursday, 2026-12-24 (UTC).\n\nhow many?");
}

TEST_F(JobTimeTest, OfASubAgentIsThatOfTheAskingJob) {
  state_.profile.job_time = *parse_rfc3339("2026-11-26T10:00:00Z");
  on(event::Begin{});
  EXPECT_EQ(read(), "Today is Thursday, 2026-11-26 (UTC).\n\nhow many?");
}

TEST_F(JobTimeTest, ComesToNoJobThatBeganWithoutIt) {
  StoredJob rows;
  add_round(rows, 0);
  ASSERT_NO_FATAL_FAILURE(resume_with(rows));
  EXPECT_EQ(read(), "and the week before?");
  EXPECT_EQ(text_for_model(std::get<HumanMessage>(state_.history.messages.front())),
            "asked before");
}

TEST_F(JobTimeTest, OfACopyIsToldWithItsOwnFirstQuestion) {
  ASSERT_NO_FATAL_FAILURE(resume_with(copied(1)));
  EXPECT_EQ(text_for_model(std::get<HumanMessage>(state_.history.messages.front())),
            "asked before");
  EXPECT_EQ(read(), "Today is Friday, 2026-11-27 (UTC).\n\nand the week before?");
  answer(reply_text("7"));
  on(event::Committed{});
  EXPECT_EQ(read(), "and before that?");
}

TEST_F(JobTimeTest, OfACopyFromTheMiddleOfARoundIsToldWithTheNextOne) {
  StoredJob rows = copied(2);
  rows.rounds[1].status = RoundStatus::InProgress;
  rows.messages.pop_back();
  rows.tally.copied_rounds = 1;
  rows.tally.copied_step = 0;
  ASSERT_NO_FATAL_FAILURE(resume_with(rows));
  EXPECT_EQ(read(), "asked before");
  answer(reply_text("7"));
  on(event::Committed{});
  EXPECT_EQ(read(), "Today is Friday, 2026-11-27 (UTC).\n\nand before that?");
}

}  // namespace
}  // namespace ba
