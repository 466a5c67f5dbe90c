// SPDX-License-Identifier: Apache-2.0
// What holds for any history, tried on a hundred thousand of them.
#include <gtest/gtest.h>

#include <random>

#include "pipeline/context/history_rounds.hpp"
#include "pipeline/message/validate.hpp"
#include "tests/pipeline/context/sample_rounds.hpp"

namespace ba {
namespace {

using test::quarter_tokens;
using test::SampleRounds;

constexpr unsigned kHistories = 100'000;

struct Dice {
  explicit Dice(unsigned seed) : engine(seed) {}
  int of(int low, int high) { return std::uniform_int_distribution(low, high)(engine); }
  bool chance(int percent) { return of(1, 100) <= percent; }
  std::string text() {
    const int size = chance(20) ? of(0, 900) : of(0, 60);
    std::string words;
    while (static_cast<int>(words.size()) < size)
      words += chance(10) ? "We decided so. " : chance(10) ? "确定。é " : "word ";
    return words;
  }
  std::mt19937 engine;
};

SampleRounds random_history(Dice& dice) {
  SampleRounds sample;
  if (dice.chance(70)) sample.system("system " + dice.text());
  for (int round = dice.of(1, 9); round > 0; --round) {
    sample.round("ask " + dice.text());
    for (int step = dice.of(0, 3); step > 0; --step) {
      std::vector<SampleRounds::Call> calls;
      for (int call = dice.of(1, 3); call > 0; --call)
        calls.push_back({"tool_" + std::to_string(call), dice.text(), !dice.chance(20)});
      sample.calls(dice.text(), calls);
      if (dice.chance(10)) sample.hidden("reminder " + dice.text());
      if (dice.chance(5)) sample.system("notice " + dice.text());
    }
    if (round > 1 || dice.chance(50)) sample.says(dice.text());
  }
  return sample;
}

/// Rules of Anthropic's Messages API and of chat completions: the first message that isn't the
/// system's is the user's; calls and results are paired (validate_history()).
void expect_valid(const std::vector<Message>& history) {
  const auto valid = validate_history(history, HistoryEnd::Answered);
  ASSERT_TRUE(valid) << valid.error().message;
  for (const Message& message : history) {
    if (std::holds_alternative<SystemMessage>(message)) continue;
    ASSERT_TRUE(std::holds_alternative<HumanMessage>(message));
    break;
  }
}

void expect_system_messages_stay(std::span<const CountedMessage> before,
                                 const Compressed& compressed) {
  std::vector<bool> left(before.size(), false);
  for (const KeptMessage& kept : compressed.messages)
    if (kept.index != KeptMessage::kMade) left[kept.index] = true;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool system = std::holds_alternative<SystemMessage>(*before[i].message);
    ASSERT_TRUE(left[i] || !system);
  }
}

std::vector<CountedMessage> counted(const std::vector<Message>& messages) {
  std::vector<CountedMessage> all;
  for (const Message& message : messages)
    all.push_back({&message, message_tokens(message, quarter_tokens)});
  return all;
}

std::int64_t tokens_of(const std::vector<CountedMessage>& messages) {
  std::int64_t tokens = 0;
  for (const CountedMessage& message : messages) tokens += message.tokens;
  return tokens;
}

void try_one(unsigned seed) {
  Dice dice(seed);
  const SampleRounds sample = random_history(dice);
  const auto history = sample.counted();
  CompressionRules rules;
  rules.mode = dice.chance(25) ? CompressionMode::Truncate : CompressionMode::Extract;
  rules.keep_recent_messages = dice.of(0, 6);
  rules.keep_recent_rounds = dice.of(1, 5);
  const std::int64_t all = tokens_of(history);
  const std::int64_t target = all * dice.of(0, 100) / 100;
  const std::int64_t most = std::max(target, all * dice.of(10, 100) / 100);
  const Compressed compressed = compress(history, rules, quarter_tokens, target, most);
  const std::vector<Message> left = compressed_history(history, compressed);
  expect_valid(left);
  expect_system_messages_stay(history, compressed);
  const auto left_counted = counted(left);
  ASSERT_EQ(tokens_of(left_counted), compressed.tokens_after);
  ASSERT_EQ(compressed.tokens_before, all);
  ASSERT_EQ(compressed.missed.empty(), compressed.tokens_after <= target);
  ASSERT_LE(compressed.tokens_after, all);
  // The same input gives the same, and what is compressed isn't changed any more.
  const Compressed again = compress(history, rules, quarter_tokens, target, most);
  ASSERT_EQ(compressed_history(history, again), left);
  const Compressed twice = compress(left_counted, rules, quarter_tokens, target, most);
  ASSERT_EQ(compressed_history(left_counted, twice), left);
}

TEST(CompressionProperty, HoldForRandomHistories) {
  for (unsigned seed = 0; seed < kHistories; ++seed) {
    SCOPED_TRACE(seed);
    try_one(seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace ba
