// SPDX-License-Identifier: Apache-2.0
// Jobs of which a claim says that nothing is stored: nobody loads them, so it must be true of each
// kind of job there is.
#include "tests/contract/ledger_contract.hpp"

namespace ba {

using testing::SizeIs;

namespace {

class LedgerFreshContract : public LedgerContract {
 protected:
  /// Whether the claim says it of the job, which is the one that it begins. If it does, it is so.
  bool fresh(const Result<ClaimAnswer>& answer, const std::string& job_id) {
    EXPECT_TRUE(answer) << answer.error().message;
    for (const ClaimedJob& job : answer->jobs) {
      if (job.payload != "acme/" + job_id) continue;
      const auto stored = load(job);
      EXPECT_TRUE(stored) << stored.error().message;
      EXPECT_TRUE(!job.fresh || *stored == fresh_job()) << job_id << " isn't what is assumed";
      return job.fresh;
    }
    ADD_FAILURE() << job_id << " was not claimed";
    return false;
  }

  Result<ClaimAnswer> take_in(IncarnationId self, const std::string& job_id) {
    return intake(self, batch_of({{.job_id = job_id, .conversation = "talk"}}), 10);
  }

  /// Of an answered round, whose job has ended.
  void answered(IncarnationId self, const std::string& job_id) {
    const ClaimedJob job = job_in_step_two(self, {.job_id = job_id, .conversation = "talk"});
    ASSERT_TRUE(append(self, finished(job, job_id)));
  }

  /// As a job ends that came to no round.
  static Delta ended_before(const ClaimedJob& job, const std::string& job_id) {
    Delta end = finished(job, job_id);
    end.rounds_closed.clear();
    end.finished->result.totals.rounds = 0;
    end.finished->result.outcome = Outcome::Cancelled;
    return end;
  }

  void copy(const std::string& source, const std::string& made, std::optional<int> from_round) {
    storage::JobCopy wanted;
    wanted.source = {TenantId("acme"), JobId(source)};
    wanted.job = intake_job({.job_id = made});
    wanted.from_round = from_round;
    wanted.by = "tester";
    const auto rows = rig_->copy_job(wanted);
    ASSERT_TRUE(rows) << rows.error().message;
  }
};

}  // namespace

TEST_F(LedgerFreshContract, AJobOfANewConversationIs) {
  EXPECT_TRUE(fresh(take_in(enter(), "a"), "a"));
}

TEST_F(LedgerFreshContract, AJobWhoseClaimWasNotHeardIsNot) {
  const auto self = enter();
  ASSERT_TRUE(take_in(self, "a"));
  EXPECT_FALSE(fresh(claim(self, 0), "a")) << "nobody has looked";
}

TEST_F(LedgerFreshContract, AJobThatRanBeforeIsNot) {
  const auto self = enter();
  const ClaimedJob job = running_job(self, "a");
  ASSERT_TRUE(hand_back(self, {job.id}));
  EXPECT_FALSE(fresh(claim(self, 1), "a")) << "whether it has written anything or not";
  ASSERT_TRUE(append(self, round_opened(job)));
  ASSERT_TRUE(hand_back(self, {job.id}));
  EXPECT_FALSE(fresh(claim(self, 1), "a"));
}

TEST_F(LedgerFreshContract, AJobAfterACrashIsNot) {
  const auto one = enter("one");
  ASSERT_TRUE(append(one, round_opened(running_job(one, "a"))));
  rig_->expire(one);
  const auto two = enter("two");
  ASSERT_EQ(*reap(two), 1);
  EXPECT_FALSE(fresh(claim(two, 1), "a"));
}

TEST_F(LedgerFreshContract, AJobOfAConversationWithAHistoryIsNot) {
  const auto self = enter();
  answered(self, "a");
  EXPECT_FALSE(fresh(take_in(self, "b"), "b"));
}

TEST_F(LedgerFreshContract, AJobAfterOneThatCameToNoAnswerIsNot) {
  const auto self = enter();
  const ClaimedJob job = take_in(self, "a")->jobs.at(0);
  ASSERT_TRUE(append(self, round_opened(job)));
  Delta end = finished(job, "a");
  end.rounds_closed[0].status = RoundStatus::Error;
  end.finished->result.totals.rounds = 0;
  ASSERT_TRUE(append(self, end));
  EXPECT_FALSE(fresh(take_in(self, "b"), "b")) << "the question is part of the history";
}

TEST_F(LedgerFreshContract, AJobAfterOneThatCameToNoRoundIs) {
  const auto self = enter();
  const ClaimedJob job = take_in(self, "a")->jobs.at(0);
  ASSERT_TRUE(append(self, ended_before(job, "a")));
  EXPECT_TRUE(fresh(take_in(self, "b"), "b"));
}

TEST_F(LedgerFreshContract, AJobThatIsClaimedForItsEndIsNot) {
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "a"}})));
  ASSERT_TRUE(rig_->control("a", JobAction::Cancel));
  EXPECT_FALSE(fresh(claim(self, 0), "a"));
}

TEST_F(LedgerFreshContract, ACopyWithRoundsIsNot) {
  const auto self = enter();
  answered(self, "a");
  copy("a", "from-1", 1);
  EXPECT_FALSE(fresh(claim(self, 10), "from-1"));
  copy("a", "goes-on", std::nullopt);
  EXPECT_FALSE(fresh(claim(self, 10), "goes-on"));
}

TEST_F(LedgerFreshContract, ACopyThatInheritsAHistoryIsNot) {
  const auto self = enter();
  answered(self, "a");
  answered(self, "b");
  copy("b", "again", 0);
  EXPECT_FALSE(fresh(claim(self, 10), "again"));
}

TEST_F(LedgerFreshContract, ACopyOfNothingIs) {
  const auto self = enter();
  answered(self, "a");
  copy("a", "again", 0);
  EXPECT_TRUE(fresh(claim(self, 10), "again"));
}

TEST_F(LedgerFreshContract, OthersOfTheSameClaimAreWhatTheyAre) {
  const auto self = enter();
  answered(self, "a");
  const auto answer = intake(
      self,
      batch_of({{.job_id = "b", .conversation = "talk"}, {.job_id = "c", .conversation = "new"}}),
      10);
  ASSERT_THAT(names(answer), SizeIs(2));
  EXPECT_FALSE(fresh(answer, "b"));
  EXPECT_TRUE(fresh(answer, "c"));
}

}  // namespace ba
