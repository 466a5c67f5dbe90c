// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/artifact/artifact_keeper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_artifact_store.hpp"
#include "tests/support/virtual_executor.hpp"

namespace ba {
namespace {

using testing::ElementsAre;

class MessageLog final : public Log {
 public:
  bool enabled(LogLevel) const override { return true; }
  void write(LogLevel, std::string_view message, Fields) override {
    messages.emplace_back(message);
  }
  std::vector<std::string> messages;
};

class Keeper : public testing::Test {
 protected:
  ArtifactKeeper& keeper() { return made ? *made : made.emplace(config, store, time, log); }
  bool keep(const std::string& id) {
    bool kept = false;
    keeper().keep({id, TenantId("acme"), LedgerJobId(1), {1, 1, 0}, "[1]"},
                  [&](const Result<ArtifactKept>& result) { kept = bool(result); });
    time.run_for(Milliseconds(10));
    return kept;
  }

  VirtualExecutor time;
  FakeArtifactStore store{time, time};
  MessageLog log;
  ArtifactConfig config;
  std::optional<ArtifactKeeper> made;
};

TEST_F(Keeper, CountsWhatIsKeptAndRead) {
  EXPECT_TRUE(keep("a"));
  std::string data;
  keeper().read({"a", TenantId("acme"), LedgerJobId(1)},
                [&](Result<ArtifactData> answer) { data = answer.value().data; });
  time.run_for(Milliseconds(10));
  EXPECT_EQ(data, "[1]");
  EXPECT_EQ(keeper().counters().kept, 1);
  EXPECT_EQ(keeper().counters().kept_bytes, 3);
  EXPECT_EQ(keeper().counters().read, 1);
}

TEST_F(Keeper, CountsWhatWasThereAlreadyApartAndItsBytesOnce) {
  EXPECT_TRUE(keep("a"));
  EXPECT_TRUE(keep("a"));
  EXPECT_EQ(keeper().counters().kept, 1);
  EXPECT_EQ(keeper().counters().kept_bytes, 3);
  EXPECT_EQ(keeper().counters().deduplicated, 1);
}

TEST_F(Keeper, CountsReadsThatFailButNotWhatIsNotThere) {
  const auto read = [this] {
    keeper().read({"a", TenantId("acme"), LedgerJobId(1)}, [](const Result<ArtifactData>&) {});
    time.run_for(Milliseconds(10));
  };
  read();
  EXPECT_EQ(keeper().counters().not_read, 0);
  store.reachable = false;
  read();
  EXPECT_EQ(keeper().counters().not_read, 1);
}

TEST_F(Keeper, AChunkThatCouldNotBeStoredIsAResultThatCouldNot) {
  bool put = true;
  const auto one = [&] {
    keeper().put({"u", TenantId("acme"), {0, 0, 1, "1"}},
                 [&](const Result<void>& answer) { put = bool(answer); });
    time.run_for(Milliseconds(10));
  };
  one();
  EXPECT_TRUE(put);
  EXPECT_EQ(keeper().counters().not_kept, 0);
  store.reachable = false;
  one();
  EXPECT_FALSE(put);
  EXPECT_EQ(keeper().counters().not_kept, 1);
}

TEST_F(Keeper, TellsTheLogWhatCouldNotBeStored) {
  store.reachable = false;
  EXPECT_FALSE(keep("a"));
  EXPECT_EQ(keeper().counters().not_kept, 1);
  EXPECT_THAT(log.messages, ElementsAre("an artifact could not be stored"));
}

TEST_F(Keeper, CleansUpSoonAfterItsStartAndThenEveryHour) {
  store.jobs[1] = {"talk", true};
  store.told[{1, {1, 1, 0}}] = "a";
  config.rules.settled_after = Milliseconds(120'000);
  EXPECT_TRUE(keep("a"));
  time.run_for(Milliseconds(61'000));
  EXPECT_EQ(keeper().counters().removed.removed(), 0) << "it is too young";
  time.run_for(Milliseconds(3'598'000));
  EXPECT_EQ(keeper().counters().removed.removed(), 0);
  time.run_for(Milliseconds(3'000));
  EXPECT_EQ(keeper().counters().removed.removed(), 1);
  EXPECT_THAT(log.messages, ElementsAre("artifacts removed"));
}

TEST_F(Keeper, GoesOnWithFullBatchesAndAfterTrouble) {
  store.jobs[1] = {"talk", true};
  config.rules.batch_rows_max = 1;
  config.rules.settled_after = Milliseconds(1000);
  for (const char* id : {"a", "b", "c"}) EXPECT_TRUE(keep(id));
  store.reachable = false;
  time.run_for(Milliseconds(61'000));
  EXPECT_THAT(log.messages, ElementsAre("artifacts can't be cleaned up"));
  EXPECT_EQ(keeper().counters().not_cleaned, 1);
  store.reachable = true;
  time.run_for(Milliseconds(3'602'000));
  EXPECT_EQ(keeper().counters().removed.removed(), 3);
}

TEST_F(Keeper, EndsInTheMidstOfACleaning) {
  keeper();
  store.delay = Milliseconds(100);
  time.run_for(Milliseconds(60'050));
  made.reset();
  time.run_for(Milliseconds(1'000));
  EXPECT_EQ(time.pending(), 0u);
}

}  // namespace
}  // namespace ba
