// SPDX-License-Identifier: Apache-2.0
// A job that asks two models, as skills switch them.
#include "pipeline/core/context/history_views.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/pipeline/core/context/sample_rounds.hpp"
#include "tests/support/quarter_meter.hpp"

namespace ba {
namespace {

using test::SampleRounds;
using ::testing::IsEmpty;
using ::testing::Not;

class HistoryViewsTest : public testing::Test {
 protected:
  static constexpr int kSteps = 60;

  HistoryViewsTest() {
    sample_.round("ask");
    for (int i = 0; i < kSteps; ++i)
      sample_.calls("step " + std::to_string(i), {{"t", std::string(1'950, 'x')}});
    messages_.assign(sample_.messages().begin(), sample_.messages().end());
    // The small model is in force in every fourth part of a round.
    for (int i = 0; i < kSteps; ++i) models_.push_back(i / 5 % 4 == 2 ? "small" : "large");
  }

  HistoryViews views() {
    return {[](const std::string& model) {
              ContextFrame frame;
              frame.model = model;
              frame.window = model == "small" ? 4'000 : 12'000;
              return frame;
            },
            rules_, &meter_};
  }

  /// Before the reply of a step, from 0 on.
  std::vector<Message> before_step(int step) const {
    return {messages_.begin(), messages_.begin() + (2 * step + 1)};
  }

  struct Sent {
    std::vector<Message> messages;
    SentHistory sent;
  };

  Sent sent(HistoryViews& views, int step) {
    history_ = before_step(step);
    Sent now;
    now.sent =
        views.messages(models_.at(static_cast<std::size_t>(step)),
                       {history_, {}, std::span(models_).first(static_cast<std::size_t>(step))});
    for (const Message* message : now.sent.messages) now.messages.push_back(*message);
    return now;
  }

  CompressionRules rules_;
  QuarterMeter meter_;
  SampleRounds sample_;
  std::vector<Message> messages_;
  std::vector<Message> history_;
  std::vector<std::string> models_;
};

TEST_F(HistoryViewsTest, AreTheSameAfterARestartAtAnyPlace) {
  HistoryViews lives = views();
  std::vector<CompressionEvent> all;
  for (int step = 0; step < kSteps; ++step) {
    HistoryViews restarted = views();
    const Sent now = sent(lives, step);
    const Sent again = sent(restarted, step);
    ASSERT_EQ(now.messages, again.messages) << step;
    ASSERT_EQ(lives.compressions(), restarted.compressions()) << step;
    all.insert(all.end(), now.sent.events.begin(), now.sent.events.end());
    ASSERT_EQ(again.sent.events.size(), all.size()) << step;
    for (const CompressionEvent& event : again.sent.events)
      ASSERT_THAT(all, testing::Contains(event));
  }
  EXPECT_GT(lives.compressions(), 6);
}

TEST_F(HistoryViewsTest, AModelIsSentNoMoreThanItsWindowAllows) {
  HistoryViews views_of_both = views();
  for (int step = 0; step < kSteps; ++step) {
    sent(views_of_both, step);
    const bool small = models_[static_cast<std::size_t>(step)] == "small";
    ASSERT_LE(*views_of_both.current()->estimated_tokens(), small ? 3'200 : 9'600) << step;
  }
}

/// What another model made of the history is not the large one's affair.
TEST_F(HistoryViewsTest, AnothersCompressionsDontChangeWhatPrecedesTheNewMessages) {
  HistoryViews both = views();
  std::vector<Message> before;
  int changed = 0;
  int compressed = 0;
  for (int step = 0; step < kSteps; ++step) {
    const Sent now = sent(both, step);
    if (models_[static_cast<std::size_t>(step)] != "large") continue;
    compressed += static_cast<int>(now.sent.events.size());
    changed += !(now.messages.size() >= before.size() &&
                 std::equal(before.begin(), before.end(), now.messages.begin()));
    before = now.messages;
  }
  EXPECT_EQ(changed, compressed);
  EXPECT_GT(changed, 1);
}

TEST_F(HistoryViewsTest, EventsTellWhichReplyWasAskedForAndNoTwoTheSame) {
  HistoryViews both = views();
  std::set<Position> places;
  for (int step = 0; step < kSteps; ++step)
    for (const CompressionEvent& event : sent(both, step).sent.events) {
      EXPECT_EQ(event.at, (Position{0, step + 1, 0}));
      EXPECT_TRUE(places.insert(event.at).second);
    }
  EXPECT_THAT(places, Not(IsEmpty()));
}

TEST_F(HistoryViewsTest, EachModelsRequestsAreRememberedUntilTheirMessagesAreOthers) {
  HistoryViews both = views();
  std::map<std::string, RequestMemory*> memories;
  std::map<std::string, std::shared_ptr<const int>> lineages;
  std::map<std::string, std::vector<Message>> before;
  int gone_on = 0;
  for (int step = 0; step < kSteps; ++step) {
    const std::string& model = models_[static_cast<std::size_t>(step)];
    const Sent now = sent(both, step);
    ASSERT_NE(now.sent.memory, nullptr);
    const auto [memory, first] = memories.emplace(model, now.sent.memory);
    EXPECT_EQ(memory->second, now.sent.memory) << "one for each model";
    const std::vector<Message>& last = before[model];
    const bool goes_on = now.messages.size() >= last.size() &&
                         std::equal(last.begin(), last.end(), now.messages.begin());
    if (!first) {
      EXPECT_EQ(now.sent.memory->lineage == lineages[model], goes_on) << step;
    }
    HistoryCheck& check = now.sent.memory->check;
    EXPECT_EQ(check.valid(), goes_on ? last.size() : 0) << step;
    EXPECT_TRUE(check.check(now.sent.messages, HistoryEnd::Answered)) << step;
    gone_on += !first && goes_on;
    lineages[model] = now.sent.memory->lineage;
    before[model] = now.messages;
  }
  EXPECT_EQ(memories.size(), 2U);
  EXPECT_NE(memories["small"], memories["large"]);
  EXPECT_GT(gone_on, kSteps / 2);
}

}  // namespace
}  // namespace ba
