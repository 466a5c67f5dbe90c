// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/ledger_cleaner.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/virtual_executor.hpp"

namespace ba::driver {
namespace {

using namespace std::chrono_literals;

/// Answers with what the test has lined up, then with nothing removed.
class ScriptedRetention final : public Retention {
 public:
  explicit ScriptedRetention(Executor& executor) : executor_(executor) {}

  void remove_batch(IncarnationId self, RetentionRules, Completion<RemovedRows> done) override {
    asked.push_back(self);
    Result<RemovedRows> answer = RemovedRows{};
    if (!answers.empty()) {
      answer = answers.front();
      answers.erase(answers.begin());
    }
    executor_.post([done, answer] { done(answer); });
  }

  std::vector<IncarnationId> asked;
  std::vector<Result<RemovedRows>> answers;

 private:
  Executor& executor_;
};

class LedgerCleanerTest : public testing::Test {
 protected:
  LedgerCleaner cleaner(RetentionRules rules) {
    CleanerOptions options;
    options.rules = std::move(rules);
    options.interval = 60s;
    CleanerEvents events;
    events.removed = [this](const RemovedRows& rows) { removed_ += rows.total(); };
    events.trouble = [this](const Error&) { ++troubles_; };
    return LedgerCleaner(retention_, executor_, options, events);
  }

  static RetentionRules some_rules() {
    RetentionRules rules;
    rules.outbox = 24h;
    return rules;
  }

  static RemovedRows removed(std::int64_t jobs, bool more) {
    RemovedRows rows;
    rows.jobs = jobs;
    rows.more = more;
    return rows;
  }

  static Error error(ErrorCode code) {
    Error error;
    error.code = code;
    return error;
  }

  VirtualExecutor executor_;
  ScriptedRetention retention_{executor_};
  std::int64_t removed_ = 0;
  int troubles_ = 0;
};

TEST_F(LedgerCleanerTest, LooksOnceInAnInterval) {
  LedgerCleaner cleaner = this->cleaner(some_rules());
  cleaner.start(IncarnationId(7));
  executor_.run_for(59s);
  EXPECT_TRUE(retention_.asked.empty());
  executor_.run_for(122s);
  EXPECT_EQ(retention_.asked, std::vector<IncarnationId>(3, IncarnationId(7)));
}

TEST_F(LedgerCleanerTest, GoesOnWhileBatchesAreFull) {
  retention_.answers = {removed(100, true), removed(100, true), removed(5, false)};
  LedgerCleaner cleaner = this->cleaner(some_rules());
  cleaner.start(IncarnationId(7));
  executor_.run_for(61s);
  EXPECT_EQ(retention_.asked.size(), 3U);
  EXPECT_EQ(removed_, 205);
}

TEST_F(LedgerCleanerTest, DoesNothingWhenEverythingIsKept) {
  RetentionRules rules;
  rules.tenants[TenantId("acme")] = std::nullopt;
  LedgerCleaner cleaner = this->cleaner(rules);
  cleaner.start(IncarnationId(7));
  executor_.run_for(1h);
  EXPECT_TRUE(retention_.asked.empty());
}

TEST_F(LedgerCleanerTest, TriesAgainAfterTroubleButNotWhenFenced) {
  retention_.answers = {error(ErrorCode::Unavailable), error(ErrorCode::Fenced)};
  LedgerCleaner cleaner = this->cleaner(some_rules());
  cleaner.start(IncarnationId(7));
  executor_.run_for(1h);
  EXPECT_EQ(retention_.asked.size(), 2U);
  EXPECT_EQ(troubles_, 1);
}

TEST_F(LedgerCleanerTest, AnswersAfterTheStopAreForgotten) {
  retention_.answers = {removed(100, true)};
  LedgerCleaner cleaner = this->cleaner(some_rules());
  cleaner.start(IncarnationId(7));
  ASSERT_TRUE(executor_.run_until([&] { return !retention_.asked.empty(); }, 2min));
  cleaner.stop();
  executor_.run_for(1h);
  EXPECT_EQ(retention_.asked.size(), 1U);
  EXPECT_EQ(removed_, 0);
}

}  // namespace
}  // namespace ba::driver
