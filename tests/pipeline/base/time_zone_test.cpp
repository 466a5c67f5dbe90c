// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/time_zone.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;

WallTime at(std::chrono::year_month_day day, std::chrono::seconds since_midnight = 0s) {
  return sys_days(day) + since_midnight;
}

TimeZone zone(const char* name) {
  const auto found = TimeZone::named(name);
  EXPECT_TRUE(found) << name;
  return found ? *found : TimeZone();
}

TEST(TimeZone, IsUtcUnlessItIsNamed) {
  EXPECT_EQ(TimeZone().name(), "UTC");
  EXPECT_EQ(TimeZone().offset_at(at(2026y / 7 / 1)), 0s);
  EXPECT_EQ(zone("UTC"), TimeZone());
}

TEST(TimeZone, KnowsWhenItsClocksAreChanged) {
  const TimeZone berlin = zone("Europe/Berlin");
  EXPECT_EQ(berlin.name(), "Europe/Berlin");
  EXPECT_EQ(berlin.offset_at(at(2026y / 3 / 29, 1h - 1s)), 1h);
  EXPECT_EQ(berlin.offset_at(at(2026y / 3 / 29, 1h)), 2h);
  EXPECT_EQ(berlin.offset_at(at(2026y / 10 / 25, 1h - 1s)), 2h);
  EXPECT_EQ(berlin.offset_at(at(2026y / 10 / 25, 1h)), 1h);
  EXPECT_EQ(zone("Asia/Kathmandu").offset_at(at(2026y / 1 / 1)), 5h + 45min);
  EXPECT_EQ(zone("Australia/Lord_Howe").offset_at(at(2026y / 1 / 1)), 11h);
  EXPECT_EQ(zone("Australia/Lord_Howe").offset_at(at(2026y / 7 / 1)), 10h + 30min);
}

TEST(TimeZone, HasADayOfItsOwn) {
  const WallTime evening = at(2026y / 11 / 27, 23h + 30min);
  EXPECT_EQ(TimeZone().day_at(evening), sys_days(2026y / 11 / 27));
  EXPECT_EQ(zone("Europe/Berlin").day_at(evening), sys_days(2026y / 11 / 28));
  EXPECT_EQ(zone("America/New_York").day_at(at(2026y / 11 / 27, 4h)), sys_days(2026y / 11 / 26));
  EXPECT_EQ(zone("Pacific/Kiritimati").day_at(at(2026y / 12 / 31, 10h)), sys_days(2027y / 1 / 1));
}

TEST(TimeZone, KeepsTheNameThatIsGiven) { EXPECT_EQ(zone("US/Eastern").name(), "US/Eastern"); }

TEST(TimeZone, OneThatIsNotThereIsNone) {
  for (const char* name : {"", "Europe/Berln", "../etc/passwd", "zone.tab", "leapseconds"}) {
    const auto found = TimeZone::named(name);
    ASSERT_FALSE(found) << name;
    EXPECT_EQ(found.error().code, ErrorCode::NotFound) << name;
  }
}

}  // namespace
}  // namespace ba
