// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/context/history_rounds.hpp"

#include <gtest/gtest.h>
#include <algorithm>

#include "tests/pipeline/core/context/sample_rounds.hpp"

namespace ba {
namespace {

using test::SampleRounds;

TEST(HistoryRounds, AnAiMessageAndItsResultsAreOneUnit) {
  SampleRounds sample;
  sample.round("why?").calls("", {{"a", "rows"}, {"b", "no", false}}).calls("", {{"a", "rows"}});
  sample.hidden("reminder").says("because");
  const auto rounds = history_rounds(sample.counted());
  ASSERT_EQ(rounds.size(), 1U);
  const auto& units = rounds[0].units;
  ASSERT_EQ(units.size(), 5U);
  EXPECT_EQ(units[0].kind, UnitKind::Human);
  EXPECT_EQ(units[1].kind, UnitKind::ErrorResults);
  EXPECT_EQ(units[1].count, 3U);
  EXPECT_EQ(units[2].kind, UnitKind::Calls);
  EXPECT_EQ(units[2].first, 4U);
  EXPECT_EQ(units[3].kind, UnitKind::Log);
  EXPECT_EQ(units[4].kind, UnitKind::PlainAi);
}

TEST(HistoryRounds, AnAnswerAndTheRequestForABetterOneAreOneUnit) {
  SampleRounds sample;
  sample.round("why?").says("bad").asks_again("wrong").says("good").hidden("reminder");
  const auto units = history_rounds(sample.counted()).at(0).units;
  ASSERT_EQ(units.size(), 4U);
  EXPECT_EQ(units[1].kind, UnitKind::PlainAi);
  EXPECT_EQ(units[1].count, 2U);
  EXPECT_EQ(units[1].tokens, sample.counted()[1].tokens + sample.counted()[2].tokens);
  EXPECT_EQ(units[2].count, 1U);
  EXPECT_EQ(units[3].kind, UnitKind::Log);
}

TEST(HistoryRounds, WhatASkillBringsStaysTogetherAndCountsInTheRoundUnderWay) {
  SampleRounds sample;
  sample.round("a").skill("s", "do so", "s is active").says("b");
  sample.round("c").skill("s", "do so", "s is active").calls("", {{"t", "rows"}});
  sample.skill("s", "", "a file of s").skill("s", "do so", "s is active").hidden("reminder");
  const auto rounds = history_rounds(sample.counted());
  ASSERT_EQ(rounds.size(), 2U);
  EXPECT_EQ(rounds[0].units.at(1).kind, UnitKind::Log) << "its round is over";
  const auto& units = rounds[1].units;
  ASSERT_EQ(units.size(), 6U);
  EXPECT_EQ(units[1].kind, UnitKind::Log) << "the same comes again";
  EXPECT_EQ(units[1].count, 2U);
  EXPECT_EQ(units[3].kind, UnitKind::Skill);
  EXPECT_EQ(units[4].kind, UnitKind::Skill);
  EXPECT_EQ(units[4].count, 2U);
  EXPECT_EQ(units[5].kind, UnitKind::Log);
}

TEST(HistoryRounds, BeginWithAnotherRoundId) {
  SampleRounds sample;
  sample.round("a").says("b").round("c").says("d");
  const auto rounds = history_rounds(sample.counted());
  ASSERT_EQ(rounds.size(), 2U);
  EXPECT_EQ(rounds[0].id, "job/0");
  EXPECT_EQ(rounds[1].id, "job/1");
}

TEST(HistoryRounds, WhatAForkAddsToTheRoundOfItsSourceIsOfThatRound) {
  SampleRounds sample;
  sample.round("a").calls("", {{"t", "rows"}}).calls("", {{"t", "rows"}}).hidden("h").says("b");
  sample.round("c").says("d");
  std::vector<Message> messages(sample.messages().begin(), sample.messages().end());
  std::vector<CountedMessage> counted;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    std::string& id = meta_of(messages[i]).round_id;
    if (i >= 3) id = "fork" + id.substr(id.find('/'));
    counted.push_back({&messages[i], 1});
  }
  const auto rounds = history_rounds(counted);
  ASSERT_EQ(rounds.size(), 2U);
  EXPECT_EQ(rounds[0].id, "job/0");
  EXPECT_EQ(rounds[0].units.size(), 5U);
  EXPECT_EQ(rounds[1].id, "fork/1");
}

TEST(HistoryRounds, WithoutIdsBeginWithWhatTheUserSays) {
  SampleRounds sample;
  sample.round("a").hidden("h").says("b").round("c").says("d");
  std::vector<Message> messages(sample.messages().begin(), sample.messages().end());
  std::vector<CountedMessage> counted;
  for (Message& message : messages) {
    meta_of(message).round_id.clear();
    counted.push_back({&message, 1});
  }
  const auto rounds = history_rounds(counted);
  ASSERT_EQ(rounds.size(), 2U);
  EXPECT_EQ(rounds[0].id, "1");
  EXPECT_EQ(rounds[0].units.size(), 3U);
  EXPECT_EQ(rounds[1].id, "2");
}

/// The texts that were asked for, one behind the other.
std::string counted(const Message& message) {
  std::string texts;
  const std::int64_t tokens = message_tokens(message, [&](std::string_view text) {
    texts += std::string(text) + "|";
    return static_cast<std::int64_t>(text.size());
  });
  EXPECT_EQ(tokens, static_cast<std::int64_t>(
                        texts.size() - static_cast<std::size_t>(std::ranges::count(texts, '|'))));
  return texts;
}

TEST(MessageTokens, CountRoleTextThinkingNamesArgumentsAndResults) {
  EXPECT_EQ(counted(SystemMessage{{}, "rules"}), "system|rules|");
  EXPECT_EQ(counted(HumanMessage{{}, "why?"}), "user|why?|");
  AiMessage ai;
  ai.text = "text";
  ai.thinking = "thoughts";
  ai.tool_calls = {{ToolCallId("c1"), "query", R"({"a":1})", "", ""},
                   {ToolCallId("c2"), "read", "{}", "{bad", "no JSON"}};
  EXPECT_EQ(counted(ai), "assistant|text|thoughts|query|{\"a\":1}|read|{bad|");
  EXPECT_EQ(counted(ToolMessage{{}, ToolCallId("c1"), "query", "rows"}), "tool|query|rows|");
}

}  // namespace
}  // namespace ba
