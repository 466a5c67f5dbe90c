// SPDX-License-Identifier: Apache-2.0
// What holds for any history, tried on a hundred thousand of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "pipeline/core/context/history_rounds.hpp"
#include "pipeline/core/context/summary_request.hpp"
#include "pipeline/text/message/validate.hpp"
#include "tests/pipeline/core/context/sample_rounds.hpp"

namespace ba {
namespace {

using test::compressed_history;
using test::quarter_tokens;
using test::SampleRounds;

/// More where a long run is asked for.
unsigned histories() {
  const char* size = std::getenv("BA_TEST_SIZE");
  return size != nullptr && std::string(size) == "large" ? 1'000'000 : 100'000;
}

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
    if (dice.chance(10)) sample.skill("opening", dice.text(), dice.text());
    for (int step = dice.of(0, 3); step > 0; --step) {
      std::vector<SampleRounds::Call> calls;
      for (int call = dice.of(1, 3); call > 0; --call)
        calls.push_back({"tool_" + std::to_string(call), dice.text(), !dice.chance(20)});
      sample.calls(dice.text(), calls);
      if (dice.chance(10)) sample.hidden("reminder " + dice.text());
      for (int skill = dice.chance(20) ? dice.of(1, 2) : 0; skill > 0; --skill)
        sample.skill(std::string(1, static_cast<char>('a' + dice.of(0, 2))), dice.text(),
                     dice.chance(50) ? "the same" : dice.text());
      if (dice.chance(5)) sample.system("notice " + dice.text());
    }
    if (round > 1 || dice.chance(50)) sample.says(dice.text());
  }
  return sample;
}

/// Anthropic's Messages API: a user's message first; after one with tool_use blocks comes the
/// user's whose first blocks are their tool_results, all of them and no others. Neighbours of one
/// role are one message there, a system message inside is the user's text.
void expect_anthropic_takes(const std::vector<Message>& history) {
  bool first = true;
  bool leading = true;
  std::vector<std::string> open;
  bool text_since = false;  // in the user's message that answers
  for (const Message& message : history) {
    if (leading && std::holds_alternative<SystemMessage>(message)) continue;
    leading = false;
    const auto* ai = std::get_if<AiMessage>(&message);
    const auto* result = std::get_if<ToolMessage>(&message);
    ASSERT_FALSE(first && (ai != nullptr || result != nullptr)) << "the first is the user's";
    first = false;
    if (result != nullptr) {
      ASSERT_FALSE(text_since) << "results come before text";
      ASSERT_FALSE(open.empty()) << "a result without its call";
      ASSERT_EQ(open.front(), result->tool_call_id.value);
      open.erase(open.begin());
      continue;
    }
    ASSERT_TRUE(open.empty()) << "a call without its result";
    text_since = ai == nullptr;
    if (ai == nullptr) continue;
    for (const ToolCall& call : ai->tool_calls) open.push_back(call.id.value);
  }
  ASSERT_TRUE(open.empty());
}

/// Chat completions: each `tool` message follows the assistant's with its call, or another result
/// of that; nothing stands between them, and every call has one.
void expect_openai_takes(const std::vector<Message>& history) {
  std::vector<std::string> open;
  for (const Message& message : history) {
    if (const auto* result = std::get_if<ToolMessage>(&message)) {
      const auto call = std::ranges::find(open, result->tool_call_id.value);
      ASSERT_NE(call, open.end()) << "a result without its call";
      open.erase(call);
      continue;
    }
    ASSERT_TRUE(open.empty()) << "something stands between a call and its result";
    if (const auto* ai = std::get_if<AiMessage>(&message))
      for (const ToolCall& call : ai->tool_calls) open.push_back(call.id.value);
  }
  ASSERT_TRUE(open.empty());
}

void expect_valid(const std::vector<Message>& history) {
  const auto valid = validate_history(history, HistoryEnd::Answered);
  ASSERT_TRUE(valid) << valid.error().message;
  expect_anthropic_takes(history);
  expect_openai_takes(history);
}

/// As a summary that a model wrote changes it.
void expect_valid_with_a_summary(const std::vector<CountedMessage>& history,
                                 const Compressed& compressed) {
  SummaryRules rules;
  rules.model = "small";
  const auto ask = [&] { return summary_request(history, compressed, rules, {"model", 0}); };
  const auto request = ask();
  if (!request) return;
  ASSERT_EQ(request->content_hash, ask()->content_hash);
  ASSERT_EQ(request->text.find("reminder "), std::string::npos) << "nobody said that";
  std::vector<Message> left;
  bool written = false;
  for (const KeptMessage& kept : compressed.messages) {
    if (kept.index != KeptMessage::kMade)
      left.push_back(*history[kept.index].message);
    else if (!std::exchange(written, true))
      left.emplace_back(written_summary(*request, kept.summary, "a summary"));
  }
  expect_valid(left);
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
  if (seed % 8 == 0) expect_valid_with_a_summary(history, compressed);
  const auto left_counted = counted(left);
  ASSERT_EQ(tokens_of(left_counted), compressed.tokens_after);
  ASSERT_EQ(compressed.tokens_before, all);
  ASSERT_EQ(compressed.missed.empty(), compressed.tokens_after <= target);
  ASSERT_LE(compressed.tokens_after, all);
  // The same input gives the same, and what is compressed isn't changed any more.
  if (seed % 8 == 0) {
    const Compressed again = compress(history, rules, quarter_tokens, target, most);
    ASSERT_EQ(compressed_history(history, again), left);
  }
  const Compressed twice = compress(left_counted, rules, quarter_tokens, target, most);
  ASSERT_EQ(compressed_history(left_counted, twice), left);
}

/// Every `step`th history; each failure tells its seed.
void try_many(unsigned first, unsigned step) {
  for (unsigned seed = first; seed < histories(); seed += step) {
    SCOPED_TRACE(seed);
    try_one(seed);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(CompressionProperty, HoldForRandomHistories) {
  constexpr unsigned kThreads = 2;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) threads.emplace_back(try_many, i, kThreads);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace ba
