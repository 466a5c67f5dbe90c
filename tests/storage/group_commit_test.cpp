// SPDX-License-Identifier: Apache-2.0
#include <future>
#include <optional>
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

  /// As if each session had done some more transactions.
  void raise_all_marks(IncarnationId self) {
    schema().execute("INSERT INTO incarnation_marks AS m (incarnation, slot, mark) SELECT " +
                     std::to_string(self.value) +
                     ", slot, 5 FROM generate_series(0, 99) AS slot"
                     " ON CONFLICT (incarnation, slot) DO UPDATE SET mark = m.mark + 5");
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

/// Somebody else's transaction, which holds a row.
class OtherTransaction {
 public:
  OtherTransaction(PgAccess access, const std::string& begins) {
    options_.access = std::move(access);
    thread_ = std::thread([this, begins] {
      Session session(options_, stop_);
      const auto done = session.run([&](Transaction& transaction) -> Result<int> {
        transaction.execute(begins);
        held_.set_value();
        transaction.execute(ends_.get_future().get());
        return 0;
      });
      EXPECT_TRUE(done) << done.error().message;
    });
    held_.get_future().wait();
  }
  ~OtherTransaction() {
    end("SELECT");
    thread_.join();
  }
  OtherTransaction(const OtherTransaction&) = delete;
  OtherTransaction& operator=(const OtherTransaction&) = delete;

  /// Once; with a last statement.
  void end(const std::string& statement) {
    if (!std::exchange(ended_, true)) ends_.set_value(statement);
  }

 private:
  SessionOptions options_;
  const Stop stop_;
  bool ended_ = false;
  std::promise<void> held_;
  std::promise<std::string> ends_;
  std::thread thread_;
};

TEST_F(GroupCommitTest, BehindAStuckCommitAnotherCommitterWritesAllThatWaits) {
  const auto self = enter();
  const auto jobs = claim_many(self, 20);
  OtherTransaction other(schema().access(), "SELECT FROM conversations WHERE id = " +
                                                std::to_string(jobs[0].conversation.value) +
                                                " FOR UPDATE");
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
  other.end("SELECT");
  ASSERT_TRUE(rig_->run_until([&] { return !stuck; }));
}

/// The mark that is there is one too low, and the group raises it before it looks.
TEST_F(GroupCommitTest, AMarkOfItsOwnSessionThatWasLostIsSeen) {
  const auto self = enter();
  const auto jobs = claim_many(self, 2);
  PgOptions options;
  options.access = schema().access();
  options.committers = 1;
  const auto storage = *open_storage(options, rig().executor());  // knows of no other session
  raise_all_marks(self);
  const auto append_of = [&](const ClaimedJob& job) {
    std::optional<Result<void>> verdict;
    storage->ledger().append(self, share(round_opened(job)),
                             [&](const Result<void>& answer) { verdict = answer; });
    EXPECT_TRUE(rig_->run_until([&] { return verdict.has_value(); }));
    return verdict.value_or(Result<void>());
  };
  ASSERT_TRUE(append_of(jobs[0]));
  schema().execute("UPDATE incarnation_marks SET mark = mark - 1");
  const auto verdict = append_of(jobs[1]);
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, ErrorCode::Fenced);
  EXPECT_THAT(verdict.error().message, testing::HasSubstr("went back in time"));
  EXPECT_EQ(schema().query("SELECT count(*) FROM rounds"), "1");
}

/// A group waits for its incarnation while another transaction changes what it expects.
class GroupBehind : public GroupCommitTest {
 protected:
  /// The answer to a round of a job, which waits until the other has ended with this statement.
  Result<void> append_behind(IncarnationId self, const ClaimedJob& job, const std::string& ends) {
    raise_all_marks(self);
    OtherTransaction other(schema().access(), "SELECT FROM incarnations WHERE id = " +
                                                  std::to_string(self.value) + " FOR UPDATE");
    std::optional<Result<void>> verdict;
    ledger().append(self, share(round_opened(job)),
                    [&](const Result<void>& answer) { verdict = answer; });
    const auto waits = [&] {
      return schema().query(
                 "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                 " AND datname = current_database()") != "0";
    };
    EXPECT_TRUE(rig_->run_until(waits));
    other.end(ends);
    EXPECT_TRUE(rig_->run_until([&] { return verdict.has_value(); }));
    return verdict.value_or(Result<void>());
  }
};

TEST_F(GroupBehind, TheEndOfItsIncarnationWritesNothing) {
  const auto self = enter();
  const auto job = running_job(self);
  const auto verdict =
      append_behind(self, job, "UPDATE incarnations SET lease_until = now() - interval '1 second'");
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, ErrorCode::Fenced);
  EXPECT_EQ(schema().query("SELECT count(*) FROM rounds"), "0");
}

TEST_F(GroupBehind, TheHandBackOfItsJobWritesNothing) {
  const auto self = enter();
  const auto job = running_job(self);
  const auto verdict =
      append_behind(self, job, "UPDATE jobs SET state = 'ready', incarnation = NULL");
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, ErrorCode::Fenced);
  EXPECT_EQ(schema().query("SELECT count(*) FROM rounds"), "0");
}

TEST_F(GroupBehind, NothingThatMattersIsWritten) {
  const auto self = enter();
  const auto job = running_job(self);
  EXPECT_TRUE(append_behind(self, job, "SELECT"));
  EXPECT_EQ(schema().query("SELECT count(*) FROM rounds"), "1");
}

}  // namespace
}  // namespace ba::storage
