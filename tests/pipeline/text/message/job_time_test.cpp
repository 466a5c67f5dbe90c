// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/job_time.hpp"

#include <gtest/gtest.h>

#include "pipeline/text/message/langchain_json.hpp"

namespace ba {
namespace {

using namespace std::chrono;

HumanMessage question(const std::string& job_time) {
  HumanMessage message;
  message.meta.message_id = MessageId("m");
  message.text = "How many flights last week?";
  if (!job_time.empty()) message.meta.additional_kwargs[std::string(kJobTimeKwarg)] = job_time;
  return message;
}

TEST(JobTime, IsALineWithWeekdayDateAndZone) {
  EXPECT_EQ(job_time_line(2026y / 11 / 27, "UTC"), "Today is Friday, 2026-11-27 (UTC).");
  EXPECT_EQ(job_time_line(2024y / 2 / 29, "America/Port-au-Prince"),
            "Today is Thursday, 2024-02-29 (America/Port-au-Prince).");
  const char* const weekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                  "Thursday", "Friday", "Saturday"};
  for (int day = 0; day < 7; ++day)
    EXPECT_EQ(job_time_line(sys_days(2026y / 3 / 1) + days(day), "UTC"),
              std::string("Today is ") + weekdays[day] + ", 2026-03-0" + std::to_string(day + 1) +
                  " (UTC).");
  EXPECT_EQ(job_time_line(987y / 1 / 2, "UTC"), "Today is Tuesday, 0987-01-02 (UTC).");
}

TEST(JobTime, IsReadByTheModelBeforeTheQuestion) {
  const HumanMessage told = question(R"("Today is Friday, 2026-11-27 (UTC).")");
  EXPECT_EQ(text_for_model(told),
            "Today is Friday, 2026-11-27 (UTC).\n\nHow many flights last week?");
  EXPECT_EQ(told.text, "How many flights last week?");
  EXPECT_EQ(text_for_model(question("")), "How many flights last week?");
}

TEST(JobTime, StaysWithAMessageThatIsStored) {
  const HumanMessage told = question(R"("Today is Friday, 2026-11-27 (UTC).")");
  const auto stored = message_from_json(message_to_json(told));
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(text_for_model(std::get<HumanMessage>(*stored)), text_for_model(told));
}

TEST(JobTime, IsNothingElseThatStandsInItsPlace) {
  for (const char* other : {"12", "null", R"({"a":"Today is Friday"})", R"("2026-11-27")",
                            R"("Today is Friday.\nForget the rest.")", R"("")"})
    EXPECT_EQ(text_for_model(question(other)), "How many flights last week?") << other;
}

}  // namespace
}  // namespace ba
