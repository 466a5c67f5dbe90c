// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/pipeline/core/context/sample_rounds.hpp"

namespace ba {
namespace {

using test::compressed_history;
using test::quarter_tokens;
using test::SampleRounds;
using test::texts_of;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kLong(4000, 'x');  // a thousand tokens

class Extract : public testing::Test {
 protected:
  std::vector<std::string> left_at(std::int64_t target) {
    history_ = sample_.counted();
    result_ = extract(history_, recent_, rules_, quarter_tokens, target);
    return texts_of(compressed_history(history_, result_));
  }

  SampleRounds sample_;
  RecentRounds recent_;
  CompressionRules rules_;
  std::vector<CountedMessage> history_;
  Compressed result_;
};

TEST_F(Extract, TheLastRoundsStayComplete) {
  sample_.system("rules");
  for (int i = 0; i < 7; ++i)
    sample_.round("ask " + std::to_string(i)).calls(kLong, {{"t", kLong}}).says("answer");
  const auto left = left_at(10'500);
  EXPECT_THAT(result_.missed, IsEmpty());
  EXPECT_EQ(left[0], "rules");
  EXPECT_THAT(left[1], StartsWith("Round job/0:\n  Request: ask 0"));
  EXPECT_THAT(left, Contains(StartsWith("Round job/1:")));
  EXPECT_THAT(left, Contains("ask 0"));  // the user's words have room
  EXPECT_THAT(left, Contains("ask 2"));
  EXPECT_THAT(left, Not(Contains(StartsWith("Round job/2"))));
  EXPECT_EQ(std::ranges::count(left, kLong), 10);
}

TEST_F(Extract, KeepsByPriorityTheNewestFirst) {
  recent_.rounds = 1;
  sample_.round("first " + kLong).says("plain one");
  sample_.round("second").calls("good", {{"t", kLong}}).calls("bad", {{"t", kLong, false}});
  sample_.says("plain two").round("last").says("end");
  const auto at_least = left_at(0);
  const std::int64_t least = result_.tokens_after;
  EXPECT_THAT(at_least,
              ElementsAre(StartsWith("Round job/0"), StartsWith("Round job/1"), "last", "end"));
  EXPECT_THAT(left_at(least + 10), Contains("second"));
  const auto some = left_at(least + 1100);  // of three with a thousand: what the user said
  EXPECT_THAT(some, Contains("first " + kLong));
  EXPECT_THAT(some, Not(Contains("bad")));
  const auto more = left_at(least + 2200);
  EXPECT_THAT(more, Contains("bad"));
  EXPECT_THAT(more, Not(Contains("good")));
  EXPECT_THAT(left_at(least + 3300), Not(Contains(StartsWith("Round "))));
}

TEST_F(Extract, OfTwoStepsAlikeTheNewerStays) {
  recent_.rounds = 1;
  sample_.round("ask").calls("older", {{"t", kLong}}).calls("newer", {{"t", kLong}});
  sample_.round("last").says("end");
  left_at(0);
  const auto left = left_at(result_.tokens_after + 1100);
  EXPECT_THAT(left, ElementsAre(StartsWith("Round job/0"), "ask", "newer", kLong, "last", "end"));
}

TEST_F(Extract, OfTwoRoundsAlikeTheStepOfTheNewerStays) {
  recent_.rounds = 1;
  sample_.round("one").calls("older", {{"t", kLong}});
  sample_.round("two").calls("newer", {{"t", kLong}});
  sample_.round("last").says("end");
  left_at(0);
  const auto left = left_at(result_.tokens_after + 1100);
  EXPECT_THAT(left, Contains("newer"));
  EXPECT_THAT(left, Not(Contains("older")));
}

TEST_F(Extract, AStepStaysLongerThanAnAnswerOfTheSameLength) {
  recent_.rounds = 1;
  const std::string answer(4020, 'y');
  sample_.round("ask").calls("step", {{"t", kLong}}).says(answer).round("last").says("end");
  left_at(0);
  ASSERT_EQ(history_[1].tokens + history_[2].tokens, history_[3].tokens);
  const auto left = left_at(result_.tokens_after + 1100);
  EXPECT_THAT(left, Contains("step"));
  EXPECT_THAT(left, Not(Contains(answer)));
}

TEST_F(Extract, AHiddenMessageGoesFirst) {
  recent_.rounds = 0;
  sample_.round("ask").calls(kLong, {{"t", kLong}}).hidden("reminder").says("plain");
  left_at(0);
  const auto left = left_at(result_.tokens_after + 8);
  EXPECT_THAT(left, ElementsAre(StartsWith("Round job/0"), "ask", "plain"));
}

TEST_F(Extract, WhatASkillBringsComesRightAfterWhatTheUserSaid) {
  recent_.rounds = 1;
  recent_.units_of_last = 1;
  sample_.round("ask").skill("s", "do so", "s is active");
  sample_.calls(kLong, {{"t", kLong, false}}).hidden("reminder").says("plain");
  EXPECT_THAT(left_at(0),
              ElementsAre(StartsWith("Round job/0"), "ask", "do so", "s is active", "plain"));
  recent_.skills = false;
  EXPECT_THAT(left_at(0), ElementsAre(StartsWith("Round job/0"), "ask", "plain"));
  EXPECT_THAT(left_at(result_.tokens_after + 10), Contains("do so"));
}

TEST_F(Extract, WhatASkillBroughtInAnEarlierRoundGoesFirst) {
  recent_.rounds = 1;
  sample_.round("ask").skill("s", "do so", "s is active").says("plain").says(kLong);
  sample_.round("last").says("end");
  left_at(0);
  const auto left = left_at(result_.tokens_after + 10);
  EXPECT_THAT(left, Contains("plain"));
  EXPECT_THAT(left, Not(Contains("do so")));
}

TEST(Compress, WhatItsSkillsBroughtGoesOnlyWhereNothingElseHelps) {
  SampleRounds sample;
  sample.round("ask").skill("s", kLong, "s is active");
  for (int i = 0; i < 8; ++i) sample.calls("step", {{"t", kLong}});
  const auto history = sample.counted();
  const auto left = [&](std::int64_t most) {
    return texts_of(
        compressed_history(history, compress(history, {}, quarter_tokens, most / 2, most)));
  };
  EXPECT_THAT(left(7'000), Contains("s is active"));
  EXPECT_THAT(left(2'900), Contains("s is active"));
  EXPECT_THAT(left(1'900), Not(Contains("s is active")));
}

TEST_F(Extract, NoSummaryIsLongerThanItsRound) {
  recent_.rounds = 1;
  sample_.round("a").says("b").round("c").says("d");
  EXPECT_THAT(left_at(0), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(result_.missed, HasSubstr("the target is 0"));
}

TEST_F(Extract, TheStepsOfALongRoundMayGoButTheLastOnes) {
  recent_.rounds = 1;
  recent_.units_of_last = 2;
  sample_.round("ask");
  for (int i = 0; i < 5; ++i) sample_.calls("step " + std::to_string(i), {{"t", kLong}});
  EXPECT_THAT(left_at(2'400),
              ElementsAre(StartsWith("Round job/0"), "ask", "step 3", kLong, "step 4", kLong));
}

TEST(Compress, DoesNothingBelowTheTarget) {
  SampleRounds sample;
  sample.round("ask").says(kLong);
  const auto history = sample.counted();
  const Compressed result = compress(history, CompressionRules(), quarter_tokens, 2'000, 3'000);
  EXPECT_EQ(compressed_history(history, result).size(), 2U);
  EXPECT_EQ(result.tokens_after, result.tokens_before);
}

TEST(Compress, KeepsFewerRoundsWhereTheLastFiveDoNotFit) {
  SampleRounds sample;
  for (int i = 0; i < 5; ++i) sample.round("ask").calls("", {{"t", kLong}}).says("answer");
  const auto history = sample.counted();
  const Compressed result = compress(history, CompressionRules(), quarter_tokens, 2'500, 4'000);
  EXPECT_LE(result.tokens_after, 4'000);
  EXPECT_GT(result.tokens_after, 2'500);
  EXPECT_THAT(result.missed, HasSubstr("the target is 2500"));
}

TEST(Compress, KeepsTheLastStepsOfARoundThatDoesNotFit) {
  SampleRounds sample;
  sample.round("ask");
  for (int i = 0; i < 9; ++i) sample.calls("step " + std::to_string(i), {{"t", kLong}});
  const auto history = sample.counted();
  const Compressed result = compress(history, CompressionRules(), quarter_tokens, 6'000, 8'000);
  EXPECT_LE(result.tokens_after, 6'000);
  const auto left = texts_of(compressed_history(history, result));
  EXPECT_THAT(left, Contains("step 4"));
  EXPECT_THAT(left, Not(Contains("step 3")));
}

TEST(Compress, TruncatesWhereThatIsFixed) {
  SampleRounds sample;
  for (int i = 0; i < 5; ++i) sample.round("ask").says(kLong);
  const auto history = sample.counted();
  CompressionRules rules;
  rules.mode = CompressionMode::Truncate;
  const Compressed result = compress(history, rules, quarter_tokens, 2'500, 4'000);
  EXPECT_EQ(result.mode, CompressionMode::Truncate);
  EXPECT_EQ(result.messages.size(), 6U);  // five, and what the first was asked
}

}  // namespace
}  // namespace ba
