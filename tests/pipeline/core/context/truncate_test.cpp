// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pipeline/core/context/sample_rounds.hpp"

namespace ba {
namespace {

using test::compressed_history;
using test::SampleRounds;
using test::texts_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> left_of(const SampleRounds& sample, int keep) {
  const auto history = sample.counted();
  return texts_of(compressed_history(history, truncate(history, keep, 1'000'000)));
}

TEST(Truncate, KeepsSystemMessagesAndTheLastOnes) {
  SampleRounds sample;
  sample.system("rules").round("1").says("one").round("2").says("two").round("3").says("three");
  EXPECT_THAT(left_of(sample, 4), ElementsAre("rules", "2", "two", "3", "three"));
  EXPECT_THAT(left_of(sample, 100), testing::SizeIs(7));
}

TEST(Truncate, KeepsCallsAndResultsTogether) {
  SampleRounds sample;
  sample.round("1").says("one").round("2").calls("ask", {{"t", "r1"}, {"t", "r2"}}).says("two");
  EXPECT_THAT(left_of(sample, 2), ElementsAre("2", "ask", "r1", "r2", "two"));
}

TEST(Truncate, KeepsAnAnswerAndTheRequestForABetterOneTogether) {
  SampleRounds sample;
  sample.round("1").says("one").round("2").says("bad").asks_again("wrong").says("two");
  EXPECT_THAT(left_of(sample, 2), ElementsAre("2", "bad", "wrong", "two"));
}

TEST(Truncate, AHistoryBeginsWithWhatTheUserSaid) {
  SampleRounds sample;
  sample.round("1").says("one").round("2").calls("a", {{"t", "r"}}).hidden("h").says("two");
  EXPECT_THAT(left_of(sample, 1), ElementsAre("2", "two"));
}

TEST(Truncate, KeepsWhatSkillsBroughtInTheRoundAsFarAsThereIsRoom) {
  SampleRounds sample;
  sample.round("1").skill("s", "old", "old").says("one");
  sample.round("2").skill("s", "do so", "active").says("two").hidden("h").says("three");
  EXPECT_THAT(left_of(sample, 1), ElementsAre("2", "do so", "active", "three"));
  EXPECT_THAT(left_of(sample, 2), ElementsAre("2", "do so", "active", "h", "three"));
  const auto history = sample.counted();
  EXPECT_THAT(texts_of(compressed_history(history, truncate(history, 1, 9))),
              ElementsAre("2", "three"));
}

TEST(Truncate, SaysWhyTheTargetIsMissed) {
  SampleRounds sample;
  sample.round(std::string(400, 'x'));
  const auto history = sample.counted();
  EXPECT_THAT(truncate(history, 5, 50).missed, HasSubstr("have 101 tokens; the target is 50"));
  EXPECT_THAT(truncate(history, 5, 101).missed, IsEmpty());
}

}  // namespace
}  // namespace ba
