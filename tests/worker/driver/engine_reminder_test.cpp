// SPDX-License-Identifier: Apache-2.0
// Long conversations are reminded of their task.
#include <gmock/gmock.h>

#include "tests/worker/driver/engine_context_fixture.hpp"

namespace ba::driver {
namespace {

using testing::StartsWith;

class EngineReminderTest : public EngineContextTest {
 protected:
  EngineReminderTest() {
    ports_.compression.mode = CompressionMode::Extract;
    ports_.compression.refocus.every_steps = 5;
  }

  static int reminders(const std::vector<std::string>& texts) {
    return static_cast<int>(std::ranges::count_if(
        texts, [](const std::string& text) { return text.starts_with("<system-reminder>"); }));
  }
};

TEST_F(EngineReminderTest, TheTaskIsRepeatedEveryFewSteps) {
  looks = 11;
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  ASSERT_EQ(sent.size(), 12U);
  EXPECT_EQ(reminders(sent.at(4)), 0);
  EXPECT_THAT(sent.at(5).back(),
              StartsWith("<system-reminder>\n# Context Reminder (Round 1)\n\nTask: how many?"));
  EXPECT_THAT(sent.at(5).back(), testing::EndsWith("\n</system-reminder>"));
  EXPECT_THAT(sent.at(10).back(), StartsWith("<system-reminder>"));
  const auto& messages = job("a").messages;
  ASSERT_TRUE(messages.contains({0, 5, kReminderIndex}));
  ASSERT_TRUE(messages.contains({0, 10, kReminderIndex}));
  EXPECT_EQ(meta_of(messages.at({0, 5, kReminderIndex})).additional_kwargs.at("isMeta"), "true");
}

TEST_F(EngineReminderTest, ARestartRepeatsItExactlyOnce) {
  looks = 7;
  for (const int at : {5, 6, 7}) {
    sent.clear();
    const std::string id = "r" + std::to_string(at);
    auto life = begin();
    life->engine->take(records({id}));
    ASSERT_TRUE(
        executor_.run_until([&] { return sent.size() == static_cast<std::size_t>(at); }, 60s));
    for (int crash = 0; crash < 2; ++crash) {
      const std::size_t before = sent.size();
      life = taken_over_from(*life);
      ASSERT_TRUE(executor_.run_until([&] { return sent.size() > before; }, 60s));
      EXPECT_EQ(reminders(sent.back()), at > 5) << at;
    }
    ASSERT_TRUE(executor_.run_until([&] { return job(id).finished.has_value(); }, 60s));
    EXPECT_EQ(reminders(sent.back()), 1) << at;
    EXPECT_TRUE(job(id).messages.contains({0, 5, kReminderIndex}));
    life->engine->drop();
  }
}

TEST_F(EngineReminderTest, ZeroIsNever) {
  ports_.compression.refocus.every_steps = 0;
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  for (const auto& texts : sent) EXPECT_EQ(reminders(texts), 0);
}

}  // namespace
}  // namespace ba::driver
