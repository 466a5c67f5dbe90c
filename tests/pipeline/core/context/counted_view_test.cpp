// SPDX-License-Identifier: Apache-2.0
// Near to the threshold a provider is asked how many tokens it takes a request for: when, what is
// decided by it, and that it is decided again after a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/core/context/history_views.hpp"
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

/// 80 % of the window are 8,000 tokens.
class CountedViewTest : public testing::Test {
 protected:
  CountedViewTest() {
    frame_.model = "model";
    frame_.window = 10'000;
    frame_.system = "be brief";
    frame_.counts_exactly = true;
  }

  /// Of so many tokens with system prompt and margin.
  std::vector<Message> history_of(std::int64_t tokens, int rounds = 13) const {
    SampleRounds sample;
    for (int i = 0; i < rounds; ++i) sample.round("ask").says(std::string(1'950, 'x'));
    std::int64_t missing = tokens - test::quarter_tokens(frame_.system);
    for (const CountedMessage& message : sample.counted()) missing -= message.tokens;
    missing -= test::quarter_tokens("user");
    sample.round(std::string(static_cast<std::size_t>(missing) * 4, 'q'));
    return {sample.messages().begin(), sample.messages().end()};
  }

  std::vector<Message> sent(ContextView& view, const std::vector<Message>& history) {
    std::vector<Message> messages;
    for (const Message* message : view.messages({history, {}, {}, refused_, counted_}))
      messages.push_back(*message);
    return messages;
  }

  void count(ContextView& view, std::optional<std::int64_t> tokens) {
    ASSERT_TRUE(view.wanted_count());
    counted_.push_back(*view.wanted_count());
    counted_.back().tokens = tokens;
  }

  /// Before the first reply of the job.
  void refuse_more_than(std::int64_t window) {
    RefusedContextRow row;
    row.at = {-1, 0, 0};
    row.model = "model";
    row.window = window;
    row.of_window = frame_.window;
    refused_ = {row};
  }

  ContextFrame frame_;
  CompressionRules rules_;
  QuarterMeter meter_;
  std::vector<RefusedContextRow> refused_;
  std::vector<ExactCountRow> counted_;
};

TEST_F(CountedViewTest, OnlyWithinATenthOfTheThresholdIsAnybodyAsked) {
  for (const auto& [tokens, near] : std::vector<std::pair<std::int64_t, bool>>{
           {7'199, false}, {7'200, true}, {8'000, true}, {8'800, true}, {8'801, false}}) {
    const std::vector<Message> history = history_of(tokens);
    ContextView view(frame_, rules_, &meter_);
    const auto messages = sent(view, history);
    EXPECT_EQ(view.wanted_count().has_value(), near) << tokens;
    if (!near) continue;
    EXPECT_EQ(messages, history) << "all of it is counted";
    EXPECT_THAT(view.take_events(), IsEmpty());
    EXPECT_EQ(view.wanted_count(),
              (ExactCountRow{
                  {13, 1, 0}, "model", tokens, {}, tokens - test::quarter_tokens(frame_.system)}));
    frame_.counts_exactly = false;
    ContextView nobody(frame_, rules_, &meter_);
    sent(nobody, history);
    EXPECT_FALSE(nobody.wanted_count());
    frame_.counts_exactly = true;
  }
}

TEST_F(CountedViewTest, TheProvidersCountDecides) {
  for (const std::int64_t estimated : {7'500, 8'500})
    for (const std::int64_t exact : {8'000, 8'001}) {
      counted_.clear();
      const std::vector<Message> history = history_of(estimated);
      ContextView view(frame_, rules_, &meter_);
      sent(view, history);
      count(view, exact);
      const auto messages = sent(view, history);
      EXPECT_FALSE(view.wanted_count());
      const auto events = view.take_events();
      if (exact == 8'000) {
        EXPECT_EQ(messages, history) << estimated;
        EXPECT_THAT(events, IsEmpty());
        continue;
      }
      ASSERT_THAT(events, SizeIs(1)) << estimated;
      EXPECT_EQ(events[0].tokens_before, estimated) << "as all others are written";
      EXPECT_EQ(events[0].reason,
                "8001 tokens of a window of 10000 (threshold 80 %), as the provider counts");
      EXPECT_THAT(texts_of(messages), Contains(StartsWith("Round job/0:")));
      EXPECT_LE(events[0].tokens_after * exact, 5'000 * estimated) << "by its ratio to ours";
    }
}

TEST_F(CountedViewTest, WithoutAnAnswerTheEstimateDecidesAndNobodyIsAskedAgain) {
  for (const std::int64_t estimated : {8'000, 8'001}) {
    counted_.clear();
    const std::vector<Message> history = history_of(estimated);
    ContextView view(frame_, rules_, &meter_);
    sent(view, history);
    count(view, std::nullopt);
    sent(view, history);
    EXPECT_FALSE(view.wanted_count());
    EXPECT_EQ(view.take_events().size(), estimated == 8'000 ? 0U : 1U);
  }
}

TEST_F(CountedViewTest, ACountOfAnotherContentSaysNothing) {
  const std::vector<Message> history = history_of(8'500);
  ContextView view(frame_, rules_, &meter_);
  sent(view, history);
  count(view, 100);
  --counted_[0].of_messages;
  ContextView other(frame_, rules_, &meter_);
  sent(other, history);
  EXPECT_FALSE(other.wanted_count()) << "a job's reply is counted for once";
  EXPECT_THAT(other.take_events(), SizeIs(1));
}

/// Its tokens are those that we count.
TEST_F(CountedViewTest, AWindowThatWasRefusedIsNotCounted) {
  const std::vector<Message> history = history_of(6'400, 10);
  refuse_more_than(8'000);
  ContextView view(frame_, rules_, &meter_);
  EXPECT_EQ(sent(view, history), history);
  EXPECT_FALSE(view.wanted_count());
}

TEST_F(CountedViewTest, TheMarginIsOursAlone) {
  meter_.margin = 1'200'000;
  const std::vector<Message> history = history_of(7'000);
  ContextView view(frame_, rules_, &meter_);
  sent(view, history);
  ASSERT_TRUE(view.wanted_count());
  EXPECT_EQ(view.wanted_count()->estimated, 8'400);
  count(view, 7'100);
  EXPECT_EQ(sent(view, history), history);
  EXPECT_THAT(view.take_events(), IsEmpty());
}

TEST_F(CountedViewTest, WhoTakesTheJobOverDecidesTheSameByTheRows) {
  SampleRounds sample;
  sample.round("ask");
  for (int i = 0; i < 60; ++i)
    sample.calls("step " + std::to_string(i), {{"t", std::string(1'200, 'x')}});
  ContextView live(frame_, rules_, &meter_);
  int questions = 0;
  for (std::size_t size = 1; size <= sample.messages().size(); size += 2) {
    const std::vector<Message> history(
        sample.messages().begin(), sample.messages().begin() + static_cast<std::ptrdiff_t>(size));
    auto messages = sent(live, history);
    if (const auto wanted = live.wanted_count()) {
      ContextView waits(frame_, rules_, &meter_);
      EXPECT_EQ(sent(waits, history), messages);
      EXPECT_EQ(waits.wanted_count(), wanted);
      constexpr std::int64_t kNone = 0;
      const std::int64_t answers[] = {wanted->estimated * 9 / 10, kNone, wanted->estimated * 8 / 10,
                                      wanted->estimated * 11 / 10};
      const std::int64_t answer = answers[questions++ % 4];
      count(live, answer == kNone ? std::nullopt : std::optional(answer));
      messages = sent(live, history);
    }
    frame_.counts_exactly = size % 4 == 1;  // what is written holds, whoever is asked now
    ContextView anew(frame_, rules_, &meter_);
    ASSERT_EQ(sent(anew, history), messages) << size;
    ASSERT_FALSE(anew.wanted_count()) << size;
    ASSERT_EQ(anew.compressions(), live.compressions()) << size;
    frame_.counts_exactly = true;
  }
  EXPECT_GT(questions, 8);
  EXPECT_GE(live.compressions(), 3);
}

/// A query may change how a tool describes itself, a release the prompt, a file the margin.
TEST_F(CountedViewTest, ACountHoldsHoweverToolsAndPromptAreDescribedNow) {
  for (const std::int64_t exact : {7'900, 8'100}) {
    counted_.clear();
    frame_.system = "be brief";
    meter_.margin = 1'000'000;
    const std::vector<Message> history = history_of(8'000);
    ContextView view(frame_, rules_, &meter_);
    sent(view, history);
    count(view, exact);
    const bool whole = sent(view, history) == history;
    EXPECT_EQ(whole, exact < 8'000);
    frame_.system = "be brief, and name the tables: flights, planes, weather, airports";
    meter_.margin = 1'100'000;
    ContextView anew(frame_, rules_, &meter_);
    EXPECT_EQ(sent(anew, history) == history, whole) << exact;
    EXPECT_FALSE(anew.wanted_count()) << exact;
  }
}

/// A copy may begin with a window that a reply was refused in which didn't come along.
TEST_F(CountedViewTest, ACountOfTheWholeWindowSaysNothingOfASmallerOne) {
  const std::vector<Message> history = history_of(8'000);
  ContextView view(frame_, rules_, &meter_);
  sent(view, history);
  count(view, 4'000);
  refuse_more_than(8'000);
  ContextView narrow(frame_, rules_, &meter_);
  EXPECT_NE(sent(narrow, history), history);
  ASSERT_THAT(narrow.take_events(), SizeIs(1));
}

TEST_F(CountedViewTest, EachModelsViewSaysWhatItWants) {
  const std::vector<Message> history = history_of(8'000);
  HistoryViews views([this](const std::string&) { return frame_; }, rules_, &meter_);
  const SentHistory undecided = views.messages("model", {history, {}, {}, {}, counted_});
  ASSERT_TRUE(undecided.undecided);
  EXPECT_THAT(undecided.messages, SizeIs(history.size()));
  counted_ = {*undecided.undecided};
  counted_[0].tokens = 9'000;
  const SentHistory decided = views.messages("model", {history, {}, {}, {}, counted_});
  EXPECT_FALSE(decided.undecided);
  ASSERT_THAT(decided.events, SizeIs(1));
  EXPECT_THAT(decided.events[0].reason, HasSubstr("9000 tokens"));
}

}  // namespace
}  // namespace ba
