// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/cache/shared_cache.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "tests/support/fake_cache_store.hpp"
#include "tests/support/fixed_random.hpp"
#include "tests/support/virtual_executor.hpp"

namespace ba {
namespace {

class QuietLog final : public Log {
 public:
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view, Fields) override {}
};

/// One worker's cache.
struct Worker {
  Worker(FakeCacheStore& store, VirtualExecutor& time, std::uint64_t number)
      : random(number << 8),
        cache(std::make_unique<SharedCache>(SharedCacheConfig{},
                                            SharedCachePorts{store, time, time, random, log})) {}

  QuietLog log;
  FixedRandom random;
  std::unique_ptr<SharedCache> cache;
};

/// One call and what it was told.
struct Call {
  std::unique_ptr<CacheClaim> claim;
  std::optional<CacheAnswer> answer;

  bool runs() const { return answer && std::holds_alternative<CacheMiss>(*answer); }
  std::string data() const {
    const auto* hit = answer ? std::get_if<CacheHit>(&*answer) : nullptr;
    return hit ? hit->data : "";
  }
};

class SharedCacheTest : public testing::Test {
 protected:
  Call& claim(Worker& worker, const std::string& key,
              Milliseconds time_to_live = Milliseconds(60'000)) {
    CacheQuestion question;
    question.key = key;
    question.tenant = "acme";
    question.tool = "query_database";
    question.time_to_live = time_to_live;
    question.wait_max = Milliseconds(30'000);
    question.origin.job = LedgerJobId(++jobs_);
    Call& call = calls_.emplace_back();
    call.claim = worker.cache->claim(
        std::move(question), [&call](CacheAnswer answer) { call.answer = std::move(answer); });
    EXPECT_FALSE(call.answer) << "answered from inside claim()";
    return call;
  }

  void pass(int milliseconds) { time_.run_for(Milliseconds(milliseconds)); }

  VirtualExecutor time_;
  FakeCacheStore store_{time_, time_};
  Worker one_{store_, time_, 1};
  Worker two_{store_, time_, 2};
  std::deque<Call> calls_;  ///< gone before the caches
  int jobs_ = 0;
};

TEST_F(SharedCacheTest, TheFirstCallRunsAndLaterOnesGetItsResultInAllWorkers) {
  Call& first = claim(one_, "k");
  pass(10);
  ASSERT_TRUE(first.runs());
  first.claim->keep("1");
  Call& here = claim(one_, "k");
  Call& there = claim(two_, "k");
  pass(10);
  EXPECT_EQ(here.data(), "1");
  EXPECT_EQ(there.data(), "1");
  EXPECT_EQ(std::get<CacheHit>(*there.answer).origin.job, LedgerJobId(1));
  EXPECT_EQ(one_.cache->counters().local_hits, 1);
  EXPECT_EQ(two_.cache->counters().stored_hits, 1);
}

TEST_F(SharedCacheTest, WhatWasSaidOfAResultIsGivenWithItInAllWorkers) {
  Call& first = claim(one_, "k");
  Call& waits = claim(one_, "k");
  pass(10);
  first.claim->keep("1", "said");
  Call& here = claim(one_, "k");
  Call& there = claim(two_, "k");
  pass(10);
  for (const Call* call : {&waits, &here, &there})
    EXPECT_EQ(std::get<CacheHit>(*call->answer).note, "said");
}

TEST_F(SharedCacheTest, OfTenCallsAtTheSameTimeInTwoWorkersOneRuns) {
  std::vector<Call*> all;
  for (int i = 0; i < 5; ++i) {
    all.push_back(&claim(one_, "k"));
    all.push_back(&claim(two_, "k"));
  }
  pass(2000);
  int runs = 0;
  Call* runner = nullptr;
  for (Call* call : all) {
    runs += call->runs() ? 1 : 0;
    if (call->runs()) runner = call;
  }
  ASSERT_EQ(runs, 1);
  runner->claim->keep("1");
  pass(2000);
  std::erase(all, runner);
  for (Call* call : all) EXPECT_EQ(call->data(), "1");
}

TEST_F(SharedCacheTest, AFailedRunFreesThoseWhoWaitAndIsNotKept) {
  Call& first = claim(one_, "k");
  Call& second = claim(one_, "k");
  Call& third = claim(one_, "k");
  pass(10);
  ASSERT_TRUE(first.runs());
  EXPECT_FALSE(second.answer);
  first.claim->failed();
  pass(10);
  EXPECT_TRUE(second.runs());
  EXPECT_TRUE(third.runs());
  EXPECT_EQ(one_.cache->counters().misses, 1);
  EXPECT_EQ(one_.cache->counters().waits, 2);
  EXPECT_EQ(one_.cache->counters().takeovers, 2);
  Call& later = claim(two_, "k");
  pass(1000);
  EXPECT_TRUE(later.runs());
}

TEST_F(SharedCacheTest, ACancelledRunLetsTheNextOneRun) {
  Call& first = claim(one_, "k");
  Call& second = claim(one_, "k");
  Call& third = claim(one_, "k");
  pass(10);
  ASSERT_TRUE(first.runs());
  first.claim.reset();
  pass(10);
  EXPECT_TRUE(second.runs());
  EXPECT_FALSE(third.answer);
  second.claim->keep("1");
  EXPECT_EQ(third.data(), "1");
  EXPECT_EQ(one_.cache->counters().takeovers, 1);
  EXPECT_EQ(one_.cache->counters().flight_hits, 1);
}

TEST_F(SharedCacheTest, AWaiterThatGoesIsToldNothing) {
  Call& first = claim(one_, "k");
  Call& second = claim(one_, "k");
  pass(10);
  second.claim.reset();
  first.claim->keep("1");
  pass(10);
  EXPECT_FALSE(second.answer);
}

TEST_F(SharedCacheTest, ALongRunKeepsItsLeaseAndADeadWorkersIsTakenOver) {
  Call& first = claim(one_, "k");
  pass(10);
  ASSERT_TRUE(first.runs());
  Call& waiting = claim(two_, "k");
  pass(12'000);
  EXPECT_FALSE(waiting.answer);
  // The worker dies: nothing of it is heard any more.
  store_.flights.at("k").owner = 999;
  pass(12'000);
  EXPECT_TRUE(waiting.runs());
  EXPECT_EQ(two_.cache->counters().waits, 1) << "however often it looked";
  EXPECT_EQ(two_.cache->counters().takeovers, 1);
  EXPECT_EQ(two_.cache->counters().misses, 0);
}

TEST_F(SharedCacheTest, NobodyWaitsLongerThanItWants) {
  Call& first = claim(one_, "k");
  Call& here = claim(one_, "k");
  Call& there = claim(two_, "k");
  pass(29'000);
  ASSERT_TRUE(first.runs());
  EXPECT_FALSE(here.answer);
  EXPECT_FALSE(there.answer);
  pass(1500);
  EXPECT_TRUE(here.runs());
  EXPECT_TRUE(there.runs());
  EXPECT_EQ(one_.cache->counters().impatient, 1);
  EXPECT_EQ(two_.cache->counters().impatient, 1);
  there.claim->keep("2");  // it is kept, whoever else runs
  first.claim->keep("1");
  pass(10);
  EXPECT_EQ(store_.results.at("k").result.data, "1");
}

TEST_F(SharedCacheTest, AStoreOutOfReachIsNeverInTheWay) {
  store_.reachable = false;
  Call& first = claim(one_, "k");
  Call& second = claim(one_, "k");
  pass(10);
  EXPECT_TRUE(first.runs());
  EXPECT_TRUE(second.runs());
  EXPECT_EQ(one_.cache->counters().unreachable, 2);
  first.claim->keep("1");
  Call& third = claim(one_, "k");
  pass(10);
  EXPECT_EQ(third.data(), "1");  // known here
}

TEST_F(SharedCacheTest, ALocalResultIsConfirmedAfterAWhileSoThatAPurgeReachesIt) {
  claim(one_, "k");
  pass(10);
  calls_.back().claim->keep("1");
  pass(10);
  store_.results.clear();
  Call& soon = claim(one_, "k");
  pass(10);
  EXPECT_EQ(soon.data(), "1");
  pass(5000);
  Call& later = claim(one_, "k");
  pass(10);
  EXPECT_TRUE(later.runs());
}

TEST_F(SharedCacheTest, AResultIsGivenNoLongerThanItLives) {
  claim(one_, "k", Milliseconds(3000));
  pass(10);
  calls_.back().claim->keep("1");
  pass(2900);
  Call& before = claim(one_, "k");
  Call& elsewhere = claim(two_, "k");
  pass(10);
  EXPECT_EQ(before.data(), "1");
  EXPECT_EQ(elsewhere.data(), "1");
  pass(200);
  Call& after = claim(two_, "k");
  pass(10);
  EXPECT_TRUE(after.runs());
}

TEST_F(SharedCacheTest, NobodyGetsAResultThatIsOlderThanItsOwnPolicyAllows) {
  claim(one_, "k");
  pass(10);
  calls_.back().claim->keep("1");
  pass(2000);
  Call& here = claim(one_, "k", Milliseconds(1000));
  Call& patient = claim(one_, "k");
  pass(10);
  ASSERT_TRUE(here.runs()) << "though this process knows one that is older";
  EXPECT_EQ(patient.data(), "1");
  Call& there = claim(two_, "k", Milliseconds(1500));
  pass(10);
  EXPECT_FALSE(there.answer) << "it waits for the younger one";
  here.claim->keep("2");
  pass(1000);
  EXPECT_EQ(there.data(), "2");
}

TEST_F(SharedCacheTest, OfThoseWhoWaitTogetherEachGetsWhatIsYoungEnoughForIt) {
  claim(one_, "k");
  pass(10);
  calls_.back().claim->keep("1");
  pass(2000);
  Call& first = claim(two_, "k");
  Call& second = claim(two_, "k", Milliseconds(1000));
  Call& third = claim(two_, "k", Milliseconds(1000));
  pass(10);
  EXPECT_EQ(first.data(), "1");
  ASSERT_TRUE(second.runs());
  EXPECT_FALSE(third.answer);
  second.claim->keep("2");
  EXPECT_EQ(third.data(), "2");
}

TEST_F(SharedCacheTest, AResultThatIsTooLargeIsSharedWithThoseWhoWaitButNotKept) {
  Call& first = claim(one_, "k");
  Call& second = claim(one_, "k");
  pass(10);
  first.claim->keep(std::string((4 << 20) + 1, 'x'));
  pass(10);
  EXPECT_EQ(second.data().size(), std::size_t{(4 << 20) + 1});
  EXPECT_TRUE(store_.results.empty());
  EXPECT_TRUE(store_.flights.empty());
}

TEST_F(SharedCacheTest, HitsAreCountedInTheStore) {
  claim(one_, "k");
  pass(10);
  calls_.back().claim->keep("1");
  for (int i = 0; i < 3; ++i) claim(one_, "k");
  claim(two_, "k");
  pass(2000);
  EXPECT_EQ(store_.results.at("k").hits, 4);
}

TEST_F(SharedCacheTest, WhatHasExpiredIsRemovedFromTheStore) {
  claim(one_, "k", Milliseconds(1000));
  pass(10);
  calls_.back().claim->keep("1");
  pass(120'000);
  EXPECT_TRUE(store_.results.empty());
  EXPECT_EQ(one_.cache->counters().expired + two_.cache->counters().expired, 1);
}

TEST_F(SharedCacheTest, AnAnswerThatComesWhenEverybodyHasGoneGivesUpTheFlight) {
  claim(one_, "k").claim.reset();
  pass(10);
  EXPECT_TRUE(store_.flights.empty());
}

}  // namespace
}  // namespace ba
