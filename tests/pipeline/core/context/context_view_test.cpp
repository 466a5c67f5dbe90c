// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/context/context_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/pipeline/core/context/sample_rounds.hpp"
#include "tests/support/quarter_meter.hpp"

namespace ba {
namespace {

using test::SampleRounds;
using test::texts_of;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class ContextViewTest : public testing::Test {
 protected:
  ContextViewTest() {
    frame_.model = "model";
    frame_.window = 10'000;
    frame_.system = "be brief";
  }

  /// A round of steps with 500 tokens each.
  static SampleRounds long_round(int steps) {
    SampleRounds sample;
    sample.round("ask");
    for (int i = 0; i < steps; ++i)
      sample.calls("step " + std::to_string(i), {{"t", std::string(1'950, 'x')}});
    return sample;
  }

  std::vector<Message> sent(ContextView& view, const std::vector<Message>& history) {
    std::vector<Message> messages;
    for (const Message* message : view.messages({history})) messages.push_back(*message);
    return messages;
  }

  static std::vector<Message> first(const SampleRounds& sample, std::size_t count) {
    return {sample.messages().begin(),
            sample.messages().begin() + static_cast<std::ptrdiff_t>(count)};
  }

  ContextFrame frame_;
  CompressionRules rules_;
  QuarterMeter meter_;
};

TEST_F(ContextViewTest, IsTheHistoryUntilThatIsTooMuch) {
  const SampleRounds sample = long_round(15);
  ContextView view(frame_, rules_, &meter_);
  EXPECT_EQ(sent(view, first(sample, 31)), first(sample, 31));
  EXPECT_THAT(view.take_events(), IsEmpty());
  EXPECT_EQ(view.compressions(), 0);
}

TEST_F(ContextViewTest, IsShorterAboveTheThreshold) {
  const SampleRounds sample = long_round(17);
  ContextView view(frame_, rules_, &meter_);
  const auto messages = sent(view, first(sample, 35));
  EXPECT_THAT(texts_of(messages), Contains(StartsWith("Round job/0:")));
  const auto events = view.take_events();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].messages_before, 35U);
  EXPECT_LT(events[0].messages_after, 35U);
  EXPECT_GT(events[0].tokens_before, 8'000);
  EXPECT_LE(events[0].tokens_after, 5'000);
  EXPECT_THAT(events[0].missed, IsEmpty());
  EXPECT_EQ(view.compressions(), 1);
}

/// 80 % of the window are 8,000 tokens, with those of the system prompt.
TEST_F(ContextViewTest, IsShorterWithTheFirstTokenAboveTheThreshold) {
  for (const std::int64_t tokens : {8'000, 8'001}) {
    SampleRounds sample;
    for (int i = 0; i < 15; ++i) sample.round("ask").says(std::string(1'950, 'x'));
    std::int64_t missing = tokens - test::quarter_tokens(frame_.system);
    for (const CountedMessage& message : sample.counted()) missing -= message.tokens;
    const std::int64_t role = test::quarter_tokens("user");
    sample.round(std::string(static_cast<std::size_t>(missing - role) * 4, 'q'));
    ContextView view(frame_, rules_, &meter_);
    const auto messages = sent(view, first(sample, 31));
    const auto events = view.take_events();
    if (tokens == 8'000) {
      EXPECT_EQ(view.estimated_tokens(), 8'000);
      EXPECT_EQ(messages, first(sample, 31));
      EXPECT_THAT(events, IsEmpty());
    } else {
      ASSERT_THAT(events, SizeIs(1));
      EXPECT_EQ(events[0].tokens_before, 8'001);
      EXPECT_THAT(texts_of(messages), Contains(StartsWith("Round job/0:")));
      EXPECT_LE(view.estimated_tokens(), 5'000);
    }
  }
}

TEST_F(ContextViewTest, WhatASkillBringsIsNoReply) {
  std::vector<Message> history = first(long_round(17), 35);
  ContextView plain(frame_, rules_, &meter_);
  sent(plain, history);
  AiMessage instructions;
  instructions.text = "count twice";
  instructions.meta.additional_kwargs["isMeta"] = "true";
  history.insert(history.begin() + 3, instructions);
  ContextView view(frame_, rules_, &meter_);
  sent(view, history);
  EXPECT_EQ(view.take_events().at(0).at, plain.take_events().at(0).at);
}

RefusedContextRow refused_at(const Position& at, std::int64_t window) {
  RefusedContextRow row;
  row.at = at;
  row.model = "model";
  row.window = window;
  row.of_window = 10'000;
  return row;
}

std::vector<Message> copies(const std::vector<const Message*>& messages) {
  std::vector<Message> copied;
  for (const Message* message : messages) copied.push_back(*message);
  return copied;
}

/// As it was asked first, then as it was asked again: whoever takes over sees the same.
TEST_F(ContextViewTest, ARefusedReplyIsAskedForAgainWithASmallerWindow) {
  const std::vector<Message> history = first(long_round(12), 25);
  ContextView view(frame_, rules_, &meter_);
  EXPECT_EQ(copies(view.messages({history})), history);
  std::vector<RefusedContextRow> refused{refused_at({0, 13, 1}, 4'000)};
  const auto shorter = copies(view.messages({history, {}, {}, refused}));
  EXPECT_LE(view.estimated_tokens(), 3'200);
  EXPECT_EQ(view.output_ceiling(), 2'000);
  refused.push_back(refused_at({0, 13, 2}, 2'400));
  const auto shortest = copies(view.messages({history, {}, {}, refused}));
  EXPECT_LE(view.estimated_tokens(), 1'920);
  EXPECT_LT(shortest.size(), shorter.size());
  const auto events = view.take_events();
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0].at, (Position{0, 13, 1}));
  EXPECT_EQ(events[1].at, (Position{0, 13, 2}));
  ContextView after_a_crash(frame_, rules_, &meter_);
  EXPECT_EQ(copies(after_a_crash.messages({history, {}, {}, refused})), shortest);
  EXPECT_EQ(after_a_crash.take_events(), events);
}

/// A copy of a job lacks the steps that called nothing; those that it has keep their numbers.
TEST_F(ContextViewTest, ARepliesNumberIsWhatItsIdSays) {
  std::vector<Message> history = first(long_round(12), 25);
  int step = 0;
  for (Message& message : history) {
    if (!std::holds_alternative<AiMessage>(message)) continue;
    step += step == 5 ? 2 : 1;
    meta_of(message).round_id = "source/0";
    meta_of(message).message_id = message_id(JobId("source"), {0, step, 0});
  }
  ASSERT_EQ(step, 13);
  ContextView view(frame_, rules_, &meter_);
  view.messages({history});
  const std::vector<RefusedContextRow> refused{refused_at({0, 14, 1}, 4'000)};
  const auto shorter = copies(view.messages({history, {}, {}, refused}));
  EXPECT_LE(view.estimated_tokens(), 3'200);
  EXPECT_EQ(view.take_events().at(0).at, (Position{0, 14, 1}));
  ContextView after_a_crash(frame_, rules_, &meter_);
  EXPECT_EQ(copies(after_a_crash.messages({history, {}, {}, refused})), shorter);
}

TEST_F(ContextViewTest, ARefusalChangesNothingOfTheRepliesBeforeIt) {
  const SampleRounds sample = long_round(30);
  const std::vector<RefusedContextRow> refused{refused_at({0, 11, 1}, 4'000)};
  ContextView live(frame_, rules_, &meter_);
  for (std::size_t replies = 0; replies < 30; ++replies) {
    const std::vector<Message> history = first(sample, 1 + 2 * replies);
    const bool heard = replies >= 10;
    const auto expected = copies(live.messages(
        {history, {}, {}, heard ? std::span(refused) : std::span<const RefusedContextRow>()}));
    ContextView anew(frame_, rules_, &meter_);
    EXPECT_EQ(copies(anew.messages({history, {}, {}, refused})), expected) << replies;
    EXPECT_EQ(anew.compressions(), live.compressions());
  }
}

TEST_F(ContextViewTest, WhatEarlierJobsWereRefusedHoldsFromTheFirstReplyOn) {
  const std::vector<Message> history = first(long_round(12), 25);
  frame_.earlier_messages = 24;
  const std::vector<RefusedContextRow> refused{refused_at({-1, 0, 0}, 4'000)};
  ContextView view(frame_, rules_, &meter_);
  view.messages({history, {}, {}, refused});
  EXPECT_LE(view.estimated_tokens(), 3'200);
  std::vector<RefusedContextRow> other = refused;
  other[0].model = "another";
  ContextView untouched(frame_, rules_, &meter_);
  EXPECT_EQ(copies(untouched.messages({history, {}, {}, other})), history);
  frame_.window = 20'000;
  ContextView reconfigured(frame_, rules_, &meter_);
  EXPECT_EQ(copies(reconfigured.messages({history, {}, {}, refused})), history);
}

TEST_F(ContextViewTest, AWindowThatIsNotKnownIsCountedFromItsFirstRefusalOn) {
  const std::vector<Message> history = first(long_round(12), 25);
  frame_.window = 0;
  ContextView view(frame_, rules_, &meter_);
  view.messages({history});
  EXPECT_EQ(meter_.counted, 0);
  EXPECT_FALSE(view.estimated_tokens());
  EXPECT_GT(view.count_tokens(history), 5'000);
  std::vector<RefusedContextRow> refused{refused_at({0, 13, 1}, 4'000)};
  refused[0].of_window = 0;
  view.messages({history, {}, {}, refused});
  EXPECT_LE(view.estimated_tokens(), 3'200);
  ContextView nothing_counts(frame_, rules_, nullptr);
  EXPECT_EQ(copies(nothing_counts.messages({history, {}, {}, refused})), history);
  EXPECT_FALSE(nothing_counts.count_tokens(history));
}

TEST_F(ContextViewTest, WhatStandsBehindOtherMessagesHasMoved) {
  const SampleRounds sample = long_round(40);
  ContextView view(frame_, rules_, &meter_);
  EXPECT_EQ(sent(view, first(sample, 25)).size(), 25U);
  EXPECT_EQ(view.moved(), 0U);
  const std::size_t shorter = sent(view, first(sample, 35)).size();
  EXPECT_LT(shorter, 35U);
  EXPECT_EQ(view.moved(), shorter);
  EXPECT_EQ(sent(view, first(sample, 37)).size(), shorter + 2);
  EXPECT_EQ(view.moved(), shorter) << "what came after has not";
}

/// What precedes the new messages doesn't change until it has to.
TEST_F(ContextViewTest, KeepsItsBeginningBetweenTwoCompressions) {
  const SampleRounds sample = long_round(60);
  ContextView view(frame_, rules_, &meter_);
  std::vector<Message> before;
  int changed = 0;
  for (std::size_t size = 1; size <= sample.messages().size(); size += 2) {
    const std::vector<Message> now = sent(view, first(sample, size));
    const bool begins_alike =
        now.size() >= before.size() && std::equal(before.begin(), before.end(), now.begin());
    changed += !begins_alike;
    before = now;
  }
  EXPECT_EQ(changed, view.compressions());
  EXPECT_GT(changed, 3);
  EXPECT_LT(changed, 12);
}

TEST_F(ContextViewTest, IsTheSameAgainAfterARestartAtAnyPlace) {
  const SampleRounds sample = long_round(60);
  ContextView lives(frame_, rules_, &meter_);
  for (std::size_t size = 1; size <= sample.messages().size(); size += 2) {
    ContextView restarted(frame_, rules_, &meter_);
    ASSERT_EQ(sent(lives, first(sample, size)), sent(restarted, first(sample, size))) << size;
    ASSERT_EQ(lives.compressions(), restarted.compressions());
  }
}

/// Keeps what it was asked to count.
class RecordingMeter final : public TokenMeter {
 public:
  std::int64_t count(const std::string&, std::string_view text) override {
    counted.emplace_back(text);
    return test::quarter_tokens(text);
  }
  std::int64_t margin_millionths(const std::string&) const override { return 1'000'000; }

  std::vector<std::string> counted;
};

/// Each text of the message, as it is counted by itself.
std::vector<std::string> counted_of(const Message& message) {
  std::vector<std::string> texts;
  message_tokens(message, [&texts](std::string_view text) {
    texts.emplace_back(text);
    return std::int64_t{0};
  });
  return texts;
}

/// However often it is sent, and though what precedes it is made shorter: what is counted beside
/// the new message are summaries, which a compression makes.
TEST_F(ContextViewTest, CountsEachMessageOnce) {
  SampleRounds sample;
  for (int i = 0; i < 20; ++i)
    sample.round("ask " + std::to_string(i)).says(std::to_string(i) + std::string(4'000, 'y'));
  RecordingMeter meter;
  ContextView view(frame_, rules_, &meter);
  std::set<std::string> known;
  for (std::size_t size = 1; size <= sample.messages().size(); ++size) {
    const std::vector<std::string> texts = counted_of(sample.messages()[size - 1]);
    const int compressions = view.compressions();
    meter.counted.clear();
    view.messages({first(sample, size)});
    ASSERT_GE(meter.counted.size(), texts.size());
    const auto beside = meter.counted.begin() + static_cast<std::ptrdiff_t>(texts.size());
    EXPECT_EQ(std::vector(meter.counted.begin(), beside), texts) << size;
    EXPECT_TRUE(beside == meter.counted.end() || view.compressions() > compressions) << size;
    known.insert(texts[1]);
    for (auto text = beside; text != meter.counted.end(); ++text)
      EXPECT_FALSE(known.contains(*text)) << size << " counts again: " << text->substr(0, 20);
  }
  EXPECT_GE(view.compressions(), 2);
}

TEST_F(ContextViewTest, ReckonsWithMarginPromptAndTools) {
  const SampleRounds sample = long_round(14);  // 7,000
  const auto compresses = [&] {
    ContextView view(frame_, rules_, &meter_);
    view.messages({first(sample, 29)});
    return view.compressions() > 0;
  };
  EXPECT_FALSE(compresses());
  meter_.margin = 1'200'000;
  EXPECT_TRUE(compresses());
  meter_.margin = 1'000'000;
  const std::string prompt(6'000, 'p');
  frame_.system = prompt;
  EXPECT_TRUE(compresses());
  frame_.system = "";
  std::vector<ToolSpec> tools(1);
  tools[0].parameters_schema = std::string(6'000, ' ');
  frame_.tools = tools;
  EXPECT_TRUE(compresses());
  frame_.tools = {};
  frame_.output_max = 3'500;
  EXPECT_TRUE(compresses());
}

TEST_F(ContextViewTest, WithoutAWindowNothingIsCounted) {
  frame_.window = 0;
  const SampleRounds sample = long_round(40);
  ContextView view(frame_, rules_, nullptr);
  EXPECT_THAT(view.messages({first(sample, 81)}), SizeIs(81));
  EXPECT_EQ(view.compressions(), 0);
  EXPECT_EQ(view.estimated_tokens(), std::nullopt);
}

TEST_F(ContextViewTest, EstimatesWhatItGaveWithMarginPromptAndTools) {
  const SampleRounds sample = long_round(17);
  std::vector<ToolSpec> tools(1);
  tools[0].description = std::string(400, 'd');
  frame_.tools = tools;
  meter_.margin = 1'200'000;
  ContextView view(frame_, rules_, &meter_);
  view.messages({first(sample, 1)});
  const std::int64_t fixed = test::quarter_tokens(frame_.system) + 100;
  const std::int64_t asked = message_tokens(
      first(sample, 1)[0], [](std::string_view text) { return test::quarter_tokens(text); });
  EXPECT_EQ(view.estimated_tokens(), (fixed + asked) * 12 / 10);
  std::vector<CompressionEvent> events;
  for (std::size_t size = 3; size <= 35 && events.empty(); size += 2) {
    view.messages({first(sample, size)});
    events = view.take_events();
  }
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(view.estimated_tokens(), events[0].tokens_after) << "of what is sent";
}

/// Each by itself would make 44, 51 or 59 of them, however it is rounded.
TEST_F(ContextViewTest, TheMarginIsThatOfTheSumNotOfEachMessage) {
  SampleRounds sample;
  for (int i = 0; i < 7; ++i) sample.round("a").says("b");  // 2 and 4 tokens
  meter_.margin = 1'150'000;
  ContextView view(frame_, rules_, &meter_);
  view.messages({first(sample, 14)});
  EXPECT_EQ(view.estimated_tokens(), 50) << "2 of the prompt and 42";
}

/// Earlier jobs were asked with views of their own: this one begins with all of it.
TEST_F(ContextViewTest, EarlierJobsAreCompressedWhenTheModelIsAskedFirst) {
  SampleRounds sample;
  for (int i = 0; i < 9; ++i) sample.round("ask").says(std::string(4'400, 'y'));
  sample.round("now");
  frame_.earlier_messages = 18;
  ContextView view(frame_, rules_, &meter_);
  const auto messages = sent(view, first(sample, 19));
  EXPECT_EQ(texts_of(messages).back(), "now");
  EXPECT_EQ(view.compressions(), 1);
}

TEST_F(ContextViewTest, SaysWhyTheTargetWasMissed) {
  SampleRounds sample;
  sample.round(std::string(36'000, 'q'));
  sample.calls("a", {{"t", "r"}}).says(std::string(3'000, 'z'));
  sample.round(std::string(24'000, 'q'));
  ContextView view(frame_, rules_, &meter_);
  view.messages({first(sample, sample.messages().size())});
  const auto events = view.take_events();
  ASSERT_FALSE(events.empty());
  EXPECT_THAT(events.back().missed, HasSubstr("the target is"));
}

}  // namespace
}  // namespace ba
