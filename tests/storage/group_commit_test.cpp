// SPDX-License-Identifier: Apache-2.0
#include <future>
#include <set>
#include <thread>
#include <utility>

#include "storage/ledger/finish_rows.hpp"
#include "tests/storage/storage_fixture.hpp"

namespace ba::storage {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class GroupCommitTest : public StorageTest {
 protected:
  /// Appends all at once; the answers in the same order.
  std::vector<Result<void>> append_all(IncarnationId self, const std::vector<Delta>& deltas) {
    std::vector<Result<void>> answers(deltas.size(), Result<void>(Error{}));
    std::size_t answered = 0;
    for (std::size_t i = 0; i < deltas.size(); ++i)
      ledger().append(self, share(deltas[i]), [&, i](Result<void> answer) {
        answers[i] = answer;
        ++answered;
      });
    EXPECT_TRUE(rig_->run_until([&] { return answered == deltas.size(); }));
    return answers;
  }

  std::vector<ClaimedJob> claim_many(IncarnationId self, int count) {
    std::vector<JobSpec> specs;
    for (int i = 0; i < count; ++i) specs.push_back({.job_id = "job-" + std::to_string(i)});
    const auto answer = intake(self, batch_of(specs), count);
    EXPECT_THAT(names(answer), SizeIs(count));
    return answer->jobs;
  }
};

TEST_F(GroupCommitTest, ManyDeltasShareFewTransactions) {
  const auto self = enter();
  std::vector<Delta> deltas;
  for (const ClaimedJob& job : claim_many(self, 200)) deltas.push_back(round_opened(job));
  for (const auto& answer : append_all(self, deltas)) EXPECT_TRUE(answer);
  const PgStatistics statistics = rig().storage().statistics();
  EXPECT_EQ(statistics.deltas, 200);
  EXPECT_LT(statistics.delta_transactions, 50);
  EXPECT_EQ(schema().query("SELECT count(*) FROM messages"), "200");
}

TEST_F(GroupCommitTest, ATransactionHasAtMostSoManyDeltas) {
  const auto self = enter();
  const auto jobs = claim_many(self, 20);
  PgOptions options;
  options.access = schema().access();
  options.group_deltas_max = 2;
  const auto storage = *open_storage(options, rig().executor());
  int written = 0;
  for (const ClaimedJob& job : jobs)
    storage->ledger().append(self, share(round_opened(job)),
                             [&](const Result<void>& answer) { written += answer.has_value(); });
  ASSERT_TRUE(rig_->run_until([&] { return written == 20; }));
  EXPECT_GE(storage->statistics().delta_transactions, 10);
}

TEST_F(GroupCommitTest, ATransactionHasAtMostSoManyBytes) {
  const auto self = enter();
  std::vector<Delta> deltas;
  for (const ClaimedJob& job : claim_many(self, 5)) {
    deltas.push_back(round_opened(job));
    deltas.back().rounds_opened[0].message.text = std::string(5U << 20U, 'x');
  }
  for (const auto& answer : append_all(self, deltas)) EXPECT_TRUE(answer);
  EXPECT_EQ(rig().storage().statistics().delta_transactions, 5);
}

/// Says in which task it is.
class NumberedTasks final : public Executor {
 public:
  explicit NumberedTasks(Executor& inner) : inner_(inner) {}
  void post(std::function<void()> task) override {
    inner_.post([this, task = std::move(task)] {
      ++number;
      task();
    });
  }
  std::unique_ptr<Timer> after(Milliseconds delay, std::function<void()> task) override {
    return inner_.after(delay, std::move(task));
  }

  int number = 0;

 private:
  Executor& inner_;
};

/// What an answer begins may take long; the lease is looked at between two tasks.
TEST_F(GroupCommitTest, EachAnswerIsATaskOfItsOwn) {
  const auto self = enter();
  NumberedTasks executor(rig().executor());
  PgOptions options;
  options.access = schema().access();
  options.committers = 1;
  const auto storage = *open_storage(options, executor);
  std::set<int> tasks;
  int answered = 0;
  for (const ClaimedJob& job : claim_many(self, 50))
    storage->ledger().append(self, share(round_opened(job)), [&](const Result<void>& answer) {
      answered += answer.has_value();
      tasks.insert(executor.number);
    });
  ASSERT_TRUE(rig_->run_until([&] { return answered == 50; }));
  EXPECT_LT(storage->statistics().delta_transactions, 50);
  EXPECT_THAT(tasks, SizeIs(50));
}

TEST_F(GroupCommitTest, OnlyTheDeltaWithRefusedDataFails) {
  const auto self = enter();
  const auto jobs = claim_many(self, 20);
  for (const std::string& poison : {std::string("a\0b", 3), std::string("\xff\xfe")}) {
    std::vector<Delta> deltas;
    for (const ClaimedJob& job : jobs) deltas.push_back(round_opened(job, 7));
    deltas[7].rounds_opened[0].round_id = poison;
    const auto answers = append_all(self, deltas);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      EXPECT_EQ(answers[i].has_value(), i != 7) << i;
      if (!answers[i]) {
        EXPECT_EQ(answers[i].error().code, ErrorCode::InvalidArgument)
            << answers[i].error().message;
      }
    }
    EXPECT_EQ(schema().query("SELECT count(*) FROM rounds"), "19");
  }
}

TEST_F(GroupCommitTest, ALostServerConnectionLosesNoDelta) {
  const auto self = enter();
  const auto jobs = claim_many(self, 50);
  std::vector<Delta> deltas;
  for (const ClaimedJob& job : jobs) deltas.push_back(round_opened(job));
  ASSERT_TRUE(append_all(self, {deltas[0]})[0]);
  rig().cut_connections();
  for (const auto& answer : append_all(self, deltas)) EXPECT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(schema().query("SELECT count(*) FROM messages"), "50");
}

TEST_F(GroupCommitTest, WhatIsQueuedAtTheEndIsAnsweredToo) {
  const auto self = enter();
  const auto jobs = claim_many(self, 30);
  int answered = 0;
  {
    PgOptions options;
    options.access = schema().access();
    auto storage = *open_storage(options, rig().executor());
    for (const ClaimedJob& job : jobs)
      storage->ledger().append(self, share(round_opened(job)), [&](Result<void>) { ++answered; });
  }
  EXPECT_TRUE(rig_->run_until([&] { return answered == 30; }));
}

TEST_F(GroupCommitTest, FinishingAddsToTheConversationOnce) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  ASSERT_TRUE(append(self, finished(job)));
  ASSERT_TRUE(append(self, finished(job)));
  EXPECT_EQ(schema().query("SELECT jobs || ' ' || rounds || ' ' || steps || ' ' || input_tokens "
                           "|| ' ' || cost_micro_usd FROM conversations"),
            "1 1 1 100 250");
  EXPECT_EQ(schema().query("SELECT report->>'rounds' FROM metrics"), "1");
  EXPECT_EQ(schema().query("SELECT state || ' ' || outcome || ' ' || result::text FROM jobs"),
            "finished completed \\x0800ff");
}

/// A transaction is repeated when its answer was lost. Its first try may end the job after the
/// second one has seen it run.
TEST_F(GroupCommitTest, ARepeatThatTakesTheJobForOneThatRunsAddsNothing) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  const Delta end = finished(job);
  ASSERT_TRUE(append(self, end));
  const std::string used =
      "SELECT jobs || ' ' || rounds || ' ' || input_tokens || ' ' || cost_micro_usd "
      "FROM conversations";
  const std::string before = schema().query(used);
  SessionOptions options;
  options.access = schema().access();
  const Stop stop;
  Session session(options, stop);
  const auto repeated = session.run([&](Transaction& transaction) -> Result<int> {
    FinishRows rows;
    rows.add(end);
    rows.write(transaction);
    return 0;
  });
  ASSERT_TRUE(repeated) << repeated.error().message;
  EXPECT_EQ(schema().query(used), before);
  EXPECT_EQ(before, "1 1 100 250");
}

/// Somebody else's transaction, which holds a conversation.
class HeldConversation {
 public:
  HeldConversation(PgAccess access, LedgerConversationId conversation) {
    options_.access = std::move(access);
    thread_ = std::thread([this, conversation] {
      Session session(options_, stop_);
      const auto done = session.run([&](Transaction& transaction) -> Result<int> {
        transaction.execute("SELECT FROM conversations WHERE id = " +
                            std::to_string(conversation.value) + " FOR UPDATE");
        held_.set_value();
        go_.get_future().wait();
        return 0;
      });
      EXPECT_TRUE(done) << done.error().message;
    });
    held_.get_future().wait();
  }
  ~HeldConversation() {
    let_go();
    thread_.join();
  }
  HeldConversation(const HeldConversation&) = delete;
  HeldConversation& operator=(const HeldConversation&) = delete;

  void let_go() {
    if (!std::exchange(gone_, true)) go_.set_value();
  }

 private:
  SessionOptions options_;
  const Stop stop_;
  bool gone_ = false;
  std::promise<void> held_;
  std::promise<void> go_;
  std::thread thread_;
};

TEST_F(GroupCommitTest, BehindAStuckCommitAnotherCommitterWritesAllThatWaits) {
  const auto self = enter();
  const auto jobs = claim_many(self, 20);
  HeldConversation held(schema().access(), jobs[0].conversation);
  bool stuck = true;
  const auto begun = rig().storage().statistics().delta_transactions + 1;
  ledger().append(self, share(finished(jobs[0])), [&](const Result<void>& answer) {
    EXPECT_TRUE(answer);
    stuck = false;
  });
  ASSERT_TRUE(
      rig_->run_until([&] { return rig().storage().statistics().delta_transactions == begun; }));
  const PgStatistics before = rig().storage().statistics();
  std::size_t written = 0;
  for (std::size_t i = 1; i < jobs.size(); ++i)
    ledger().append(self, share(round_opened(jobs[i])),
                    [&](const Result<void>& answer) { written += answer.has_value(); });
  ASSERT_TRUE(rig_->run_until([&] { return written == jobs.size() - 1; }));
  EXPECT_TRUE(stuck);
  const PgStatistics now = rig().storage().statistics();
  EXPECT_EQ(now.deltas - before.deltas, 19);
  EXPECT_EQ(now.delta_transactions - before.delta_transactions, 1) << "they waited, together";
  held.let_go();
  ASSERT_TRUE(rig_->run_until([&] { return !stuck; }));
}

}  // namespace
}  // namespace ba::storage
