// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/cache_store/cache_store_contract.hpp"

namespace ba {
namespace {

CacheQuestion question(const std::string& key) {
  CacheQuestion question;
  question.key = key;
  question.tenant = "acme";
  question.tool = "query_database";
  question.tool_version = "1.0.0";
  question.caller = "analyst";
  question.data_source = "sales";
  question.time_to_live = Milliseconds(60'000);
  question.wait_max = Milliseconds(1000);
  question.origin = {LedgerJobId(7), {1, 2, 3}};
  return question;
}

}  // namespace

StoreAnswer CacheStoreContract::ask(const std::string& key, CacheOwner owner) {
  return ask_for(key, owner, question(key).time_to_live);
}

StoreAnswer CacheStoreContract::ask_for(const std::string& key, CacheOwner owner,
                                        Milliseconds age_max) {
  CacheQuestion asked = question(key);
  asked.time_to_live = age_max;
  const auto answer = await<StoreAnswer>(
      [&](auto done) { rig_->store().ask(asked, owner, kLease, std::move(done)); });
  EXPECT_TRUE(answer) << answer.error().message;
  return answer ? *answer : StoreAnswer(FlightElsewhere{});
}

bool CacheStoreContract::keep(const std::string& key, CacheOwner owner, const std::string& data,
                              Milliseconds time_to_live) {
  CacheQuestion kept = question(key);
  kept.time_to_live = time_to_live;
  return bool(await<void>([&](auto done) {
    rig_->store().keep(kept, owner, {data, "said of " + key}, std::move(done));
  }));
}

bool CacheStoreContract::give_up(const std::string& key, CacheOwner owner) {
  return bool(
      await<void>([&](auto done) { rig_->store().give_up({key}, owner, std::move(done)); }));
}

bool CacheStoreContract::renew(const std::string& key, CacheOwner owner) {
  return bool(
      await<void>([&](auto done) { rig_->store().renew({key}, owner, kLease, std::move(done)); }));
}

CacheCleaning CacheStoreContract::clean(CacheBounds bounds) {
  const auto cleaned =
      await<CacheCleaning>([&](auto done) { rig_->store().clean(bounds, std::move(done)); });
  EXPECT_TRUE(cleaned);
  return cleaned ? *cleaned : CacheCleaning{};
}

TEST_P(CacheStoreContract, WhoAsksFirstMakesTheResultAndTheOthersAreTold) {
  EXPECT_TRUE(taken("k", 1));
  EXPECT_TRUE(elsewhere("k", 2));
  EXPECT_TRUE(taken("other", 2));
}

TEST_P(CacheStoreContract, AskingAgainIsSafeForWhoMakesIt) {
  EXPECT_TRUE(taken("k", 1));
  EXPECT_TRUE(taken("k", 1));
}

TEST_P(CacheStoreContract, AKeptResultIsGivenToEveryoneWithItsOrigin) {
  EXPECT_TRUE(taken("k", 1));
  EXPECT_TRUE(keep("k", 1, R"({"rows":["é"]})"));
  const StoreAnswer answer = ask("k", 2);
  const auto* result = std::get_if<StoredResult>(&answer);
  ASSERT_NE(result, nullptr);
  EXPECT_EQ(result->data, R"({"rows":["é"]})");
  EXPECT_EQ(result->note, "said of k");
  EXPECT_EQ(result->origin, (CacheOrigin{LedgerJobId(7), {1, 2, 3}}));
  EXPECT_GT(result->time_left, Milliseconds(50'000));
  EXPECT_LE(result->time_left, Milliseconds(60'000));
  EXPECT_EQ(found("k", 1), found("k", 3));
}

TEST_P(CacheStoreContract, TheNewestResultCounts) {
  EXPECT_TRUE(keep("k", 1, "1"));
  EXPECT_TRUE(keep("k", 2, "2"));
  EXPECT_EQ(found("k"), "2");
}

TEST_P(CacheStoreContract, AnExpiredResultIsNone) {
  EXPECT_TRUE(keep("k", 1, "1", Milliseconds(3000)));
  EXPECT_EQ(found("k"), "1");
  rig_->pass(Milliseconds(3500));
  EXPECT_TRUE(taken("k", 1));
}

TEST_P(CacheStoreContract, WhoGivesUpLetsTheNextOneTakeOff) {
  EXPECT_TRUE(taken("k", 1));
  EXPECT_TRUE(give_up("k", 2));  // not its own
  EXPECT_TRUE(elsewhere("k", 2));
  EXPECT_TRUE(give_up("k", 1));
  EXPECT_TRUE(taken("k", 2));
}

TEST_P(CacheStoreContract, AnotherTakesOverWhenTheLeaseHasEnded) {
  EXPECT_TRUE(taken("k", 1));
  rig_->pass(kLease * 3 / 5);
  EXPECT_TRUE(renew("k", 1));
  rig_->pass(kLease * 3 / 5);
  EXPECT_TRUE(elsewhere("k", 2));
  rig_->pass(kLease * 3 / 5);
  EXPECT_TRUE(taken("k", 2));
  EXPECT_TRUE(renew("k", 1));  // too late: it is the other's
  EXPECT_TRUE(give_up("k", 1));
  EXPECT_TRUE(elsewhere("k", 3));
}

TEST_P(CacheStoreContract, ALateResultOfWhoLostItsLeaseIsKeptAllTheSame) {
  EXPECT_TRUE(taken("k", 1));
  rig_->pass(kLease + Milliseconds(500));
  EXPECT_TRUE(taken("k", 2));
  EXPECT_TRUE(keep("k", 1, "1"));
  EXPECT_EQ(found("k", 3), "1");
}

TEST_P(CacheStoreContract, WhoAsksWhileAResultIsStoredIsGivenItOrToldToWait) {
  for (int i = 0; i < 200; ++i) {
    const std::string key = "k" + std::to_string(i);
    ASSERT_TRUE(taken(key, 1));
    bool kept = false;
    std::optional<Result<StoreAnswer>> answer;
    CacheQuestion asked = question(key);
    rig_->store().keep(asked, 1, {"1", ""}, [&](const Result<void>&) { kept = true; });
    rig_->store().ask(asked, 2, kLease, [&](Result<StoreAnswer> result) { answer = result; });
    ASSERT_TRUE(rig_->run_until([&] { return kept && answer; }));
    ASSERT_TRUE(*answer);
    ASSERT_FALSE(std::holds_alternative<FlightTaken>(**answer)) << i;
  }
}

TEST_P(CacheStoreContract, CleaningRemovesWhatHasExpiredInBatches) {
  for (const char* key : {"a", "b", "c"}) EXPECT_TRUE(keep(key, 1, "1", Milliseconds(200)));
  EXPECT_TRUE(keep("d", 1, "1"));
  rig_->pass(Milliseconds(500));
  CacheBounds bounds;
  bounds.batch_rows_max = 2;
  const CacheCleaning first = clean(bounds);
  EXPECT_EQ(first.expired, 2);
  EXPECT_TRUE(first.more);
  const CacheCleaning second = clean(bounds);
  EXPECT_EQ(second.expired, 1);
  EXPECT_FALSE(second.more);
  EXPECT_EQ(found("d"), "1");
}

TEST_P(CacheStoreContract, CleaningRemovesTheLeastRecentlyUsedAboveTheBounds) {
  for (const char* key : {"a", "b", "c", "d", "e", "f"}) {
    EXPECT_TRUE(keep(key, 1, "1"));
    rig_->pass(Milliseconds(5));
  }
  EXPECT_EQ(found("a"), "1");  // used again
  CacheBounds bounds;
  bounds.entries_max = 5;
  EXPECT_EQ(clean(bounds).unused, 2);  // down to 80 %: 4
  EXPECT_EQ(found("a"), "1");
  EXPECT_EQ(found("f"), "1");
  EXPECT_EQ(found("b"), std::nullopt);
  EXPECT_EQ(clean(bounds).unused, 0);
}

TEST_P(CacheStoreContract, CleaningLooksAtBytesToo) {
  EXPECT_TRUE(keep("a", 1, "\"" + std::string(600, 'x') + "\""));
  rig_->pass(Milliseconds(5));
  EXPECT_TRUE(keep("b", 1, "\"" + std::string(600, 'y') + "\""));
  CacheBounds bounds;
  bounds.bytes_max = 1000;
  EXPECT_EQ(clean(bounds).unused, 1);
  EXPECT_TRUE(found("b"));
}

TEST_P(CacheStoreContract, CountsHitsOfKeysThatAreThere) {
  EXPECT_TRUE(keep("k", 1, "1"));
  EXPECT_TRUE(await<void>([&](auto done) {
    rig_->store().count_hits({{"k", 3}, {"gone", 2}}, std::move(done));
  }));
  EXPECT_EQ(rig_->hits("k"), 3);
  EXPECT_EQ(rig_->hits("gone"), std::nullopt);
  EXPECT_TRUE(found("k"));
  EXPECT_EQ(rig_->hits("k"), 4);
}

TEST_P(CacheStoreContract, AResultThatIsOlderThanTheAskerWantsIsNone) {
  EXPECT_TRUE(keep("k", 1, "1"));
  rig_->pass(Milliseconds(1000));
  EXPECT_EQ(found("k"), "1");
  const auto answer = ask_for("k", 2, Milliseconds(500));
  EXPECT_TRUE(std::holds_alternative<FlightTaken>(answer)) << "it makes one that is younger";
  EXPECT_TRUE(keep("k", 2, "2"));
  const StoreAnswer young = ask_for("k", 1, Milliseconds(60'000));
  ASSERT_TRUE(std::holds_alternative<StoredResult>(young));
  EXPECT_EQ(std::get<StoredResult>(young).data, "2");
  EXPECT_LT(std::get<StoredResult>(young).age, Milliseconds(30'000))
      << "its own, since it was kept";
}

TEST_P(CacheStoreContract, KeepingAResultAnewIsUsingIt) {
  for (const char* key : {"a", "b", "c"}) {
    EXPECT_TRUE(keep(key, 1, "1"));
    rig_->pass(Milliseconds(5));
  }
  EXPECT_TRUE(keep("a", 1, "2"));
  CacheBounds bounds;
  bounds.entries_max = 2;
  EXPECT_EQ(clean(bounds).unused, 2);  // down to 80 %: 1
  EXPECT_EQ(found("a"), "2");
}

}  // namespace ba
