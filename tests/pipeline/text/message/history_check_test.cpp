// SPDX-License-Identifier: Apache-2.0
// A history that grows is found valid or not as a whole one is, in the same words, and each of its
// messages is looked at once.
#include "pipeline/text/message/history_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace ba {
namespace {

using ::testing::HasSubstr;

std::string words(const Result<void>& verdict) { return verdict ? "" : verdict.error().message; }

MessageMeta meta(const std::string& id) {
  MessageMeta meta;
  meta.message_id = MessageId(id);
  return meta;
}

std::vector<const Message*> pointers(const std::vector<Message>& messages) {
  std::vector<const Message*> pointers;
  for (const Message& message : messages) pointers.push_back(&message);
  return pointers;
}

/// Histories that are valid for long, with a defect now and then.
class GrowingHistory {
 public:
  explicit GrowingHistory(unsigned seed) : engine_(seed) {}

  std::vector<Message> messages;

  /// A defect takes the place of what would come: another one can come instead of it.
  void grow() {
    if (!open_.empty()) return one_in(30) ? broken() : answer();
    if (one_in(40)) return broken();
    if (one_in(2)) return ask();
    open_before_.clear();
    messages.emplace_back(HumanMessage{meta(next_id()), "question"});
  }

  /// The last one that made it invalid goes, as a model's reply does that isn't taken.
  void take_back() {
    messages.pop_back();
    open_ = open_before_;
  }

 private:
  bool one_in(int n) { return std::uniform_int_distribution(1, n)(engine_) == 1; }
  std::string next_id() { return "m" + std::to_string(++ids_); }

  void ask() {
    AiMessage message;
    message.meta = meta(next_id());
    for (int i = std::uniform_int_distribution(0, 3)(engine_); i > 0; --i) {
      message.tool_calls.push_back({ToolCallId("c" + std::to_string(++ids_)), "t", "{}", "", ""});
      open_.push_back(message.tool_calls.back().id.value);
    }
    open_before_.clear();
    messages.emplace_back(std::move(message));
  }

  void answer() {
    open_before_ = open_;
    messages.emplace_back(
        ToolMessage{meta(next_id()), ToolCallId(open_.front()), "t", "seen", ToolStatus::Success});
    open_.erase(open_.begin());
  }

  void broken() {
    open_before_ = open_;
    switch (std::uniform_int_distribution(0, 4)(engine_)) {
      case 0:
        messages.emplace_back(HumanMessage{meta(next_id()), "a\xff"});
        return;
      case 1:
        messages.emplace_back(HumanMessage{meta("m1"), "with the id of another"});
        return;
      case 2:
        messages.emplace_back(
            ToolMessage{meta(next_id()), ToolCallId("nobody's"), "t", "seen", ToolStatus::Success});
        return;
      case 3:  // only while calls are open
        messages.emplace_back(HumanMessage{meta(next_id()), "comes between"});
        return;
      default:
        messages.emplace_back(HumanMessage{meta(""), "no id"});
    }
  }

  std::mt19937 engine_;
  int ids_ = 0;
  std::vector<std::string> open_;         ///< ids of calls
  std::vector<std::string> open_before_;  ///< the last message
};

TEST(HistoryCheck, SaysWhatIsSaidOfTheWholeHistory) {
  int refused = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    GrowingHistory history(seed);
    HistoryCheck check;
    for (int step = 0; step < 60; ++step) {
      history.grow();
      const std::vector<Message> moved = history.messages;  // they lie elsewhere each time
      for (const HistoryEnd end : {HistoryEnd::Open, HistoryEnd::Answered})
        ASSERT_EQ(words(check.check(pointers(moved), end)), words(validate_history(moved, end)))
            << "seed " << seed << ", step " << step;
      if (validate_history(moved, HistoryEnd::Open)) continue;
      ++refused;
      history.take_back();
    }
    EXPECT_EQ(words(check.check(pointers(history.messages), HistoryEnd::Open)), "");
    EXPECT_EQ(check.valid(), history.messages.size());
  }
  EXPECT_GT(refused, 100);
}

/// What was compressed is another history: who makes it so begins another check.
TEST(HistoryCheck, ARestartOrAShorterHistoryIsLookedAtAnew) {
  GrowingHistory history(7);
  HistoryCheck check;
  while (history.messages.size() < 20) {
    history.grow();
    if (!validate_history(history.messages, HistoryEnd::Open)) history.take_back();
  }
  ASSERT_TRUE(check.check(pointers(history.messages), HistoryEnd::Open));
  const std::vector<Message> shorter{HumanMessage{meta("s"), "a\xff"}};
  EXPECT_THAT(words(check.check(pointers(shorter), HistoryEnd::Open)),
              HasSubstr("messages[0].text"));
  EXPECT_EQ(check.valid(), 0U);
  EXPECT_TRUE(check.check(pointers(history.messages), HistoryEnd::Open));
}

TEST(HistoryCheck, LooksAtEachMessageOnce) {
  HistoryCheck check;
  std::vector<Message> messages;
  for (int i = 0; i < 1000; ++i) {
    messages.emplace_back(HumanMessage{meta("q" + std::to_string(i)), "question"});
    AiMessage reply;
    reply.meta = meta("r" + std::to_string(i));
    messages.emplace_back(reply);
    const std::uint64_t before = check.looked_at();
    ASSERT_TRUE(check.check(pointers(messages), HistoryEnd::Answered));
    ASSERT_EQ(check.looked_at() - before, 2U) << "however many come before";
  }
}

TEST(HistoryCheck, ARefusedMessageIsLookedAtAgain) {
  HumanMessage broken{meta("2"), "a\xff"};
  std::vector<Message> messages{HumanMessage{meta("1"), "q"}, broken};
  HistoryCheck check;
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(words(check.check(pointers(messages), HistoryEnd::Answered)),
                HasSubstr("messages[1].text"));
  EXPECT_EQ(check.valid(), 1U);
  messages[1] = HumanMessage{meta("2"), "good"};
  EXPECT_TRUE(check.check(pointers(messages), HistoryEnd::Answered));
}

}  // namespace
}  // namespace ba
