// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/time_zone.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "pipeline/base/zone_rule.hpp"

namespace ba {
namespace {

using testing::HasSubstr;

constexpr const char* kBerlin = "CET-1CEST,M3.5.0,M10.5.0/3";

std::string number(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}

struct Change {
  std::int64_t at = 0;
  int type = 0;
};

/// A compiled file as RFC 9636 has it, and what can be wrong in it.
struct ZoneFile {
  char version = '2';
  std::vector<int> offsets{0};  ///< of each type, in seconds
  std::vector<Change> changes;
  std::string rule;
  int leaps = 0;

  std::string bytes() const {
    return header(0, 1) + std::string(6, '\0') + header(static_cast<int>(changes.size()), types()) +
           block() + "\n" + rule + "\n";
  }

  Result<TimeZone> read() const { return TimeZone::read("Test/Zone", bytes()); }

 private:
  int types() const { return static_cast<int>(offsets.size()); }

  std::string header(int times, int types) const {
    return std::string("TZif") + version + std::string(15, '\0') + number(0, 4) + number(0, 4) +
           number(types == 1 && times == 0 ? 0 : static_cast<unsigned>(leaps), 4) +
           number(static_cast<unsigned>(times), 4) + number(static_cast<unsigned>(types), 4) +
           number(0, 4);
  }

  std::string block() const {
    std::string out;
    for (const Change& change : changes) out += number(static_cast<std::uint64_t>(change.at), 8);
    for (const Change& change : changes) out += static_cast<char>(change.type);
    for (const int offset : offsets)
      out += number(static_cast<std::uint32_t>(offset), 4) + std::string(2, '\0');
    return out + std::string(changes.empty() ? 0 : static_cast<std::size_t>(leaps) * 12, '\0');
  }
};

WallTime at(const char* text) { return parse_rfc3339(text).value(); }

/// In hours.
double offset_by(const char* rule, const char* time) {
  ZoneFile file;
  file.rule = rule;
  const auto zone = file.read();
  if (!zone) return -1000;
  return static_cast<double>(zone->offset_at(at(time)).count()) / 3600;
}

TEST(TimeZone, IsUtcWhereNothingIsSaid) {
  const TimeZone zone;
  EXPECT_EQ(zone.name(), "UTC");
  EXPECT_EQ(zone.offset_at(at("2026-07-01T00:00:00Z")).count(), 0);
  EXPECT_EQ(zone.day_at(at("2026-07-01T23:59:59.999999Z")),
            std::chrono::sys_days(std::chrono::year(2026) / 7 / 1));
}

TEST(TimeZone, ChangesItsClocksByItsRule) {
  EXPECT_EQ(offset_by(kBerlin, "2026-03-29T00:59:59.999999Z"), 1);
  EXPECT_EQ(offset_by(kBerlin, "2026-03-29T01:00:00Z"), 2);
  EXPECT_EQ(offset_by(kBerlin, "2026-10-25T00:59:59Z"), 2);
  EXPECT_EQ(offset_by(kBerlin, "2026-10-25T01:00:00Z"), 1);
  EXPECT_EQ(offset_by("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-01-01T00:00:00Z"), 11);
  EXPECT_EQ(offset_by("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-07-01T00:00:00Z"), 10);
  EXPECT_EQ(offset_by("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-01-01T00:00:00Z"), 0);
  EXPECT_EQ(offset_by("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-07-01T00:00:00Z"), 1);
  EXPECT_EQ(offset_by("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T00:59:59Z"), -2);
  EXPECT_EQ(offset_by("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z"), -1);
  EXPECT_EQ(offset_by("<+0330>-3:30", "2026-07-01T00:00:00Z"), 3.5);
  EXPECT_EQ(offset_by("AAA0BBB,J60/0,J300/0", "2028-03-01T00:00:00Z"), 1) << "1 March";
  EXPECT_EQ(offset_by("AAA0BBB,J60/0,J300/0", "2028-02-29T23:59:59Z"), 0);
  EXPECT_EQ(offset_by("AAA0BBB,59/0,300/0", "2028-02-29T00:00:00Z"), 1) << "29 February";
}

TEST(TimeZone, GoesByItsChangesBeforeItsRule) {
  ZoneFile file;
  file.offsets = {3208, 3600, 7200};
  file.changes = {{-2422054408, 1}, {1774746000, 2}};
  file.rule = kBerlin;
  const auto zone = file.read();
  ASSERT_TRUE(zone) << zone.error().message;
  EXPECT_EQ(zone->offset_at(at("1893-03-31T23:06:31Z")).count(), 3208) << "before the first";
  EXPECT_EQ(zone->offset_at(at("1893-03-31T23:06:32Z")).count(), 3600);
  EXPECT_EQ(zone->offset_at(at("2000-07-01T00:00:00Z")).count(), 3600) << "as these say";
  EXPECT_EQ(zone->offset_at(at("2026-03-29T01:00:00Z")).count(), 7200);
  EXPECT_EQ(zone->offset_at(at("2040-01-01T00:00:00Z")).count(), 3600) << "by the rule";
  file.rule = "";
  EXPECT_EQ(file.read()->offset_at(at("2040-01-01T00:00:00Z")).count(), 7200) << "as it was last";
}

TEST(TimeZone, HasItsOwnDay) {
  ZoneFile file;
  file.rule = kBerlin;
  const auto zone = file.read();
  using namespace std::chrono;
  EXPECT_EQ(zone->day_at(at("2026-11-27T22:59:59.999999Z")), sys_days(2026y / 11 / 27));
  EXPECT_EQ(zone->day_at(at("2026-11-27T23:00:00Z")), sys_days(2026y / 11 / 28));
}

TEST(TimeZone, ThatCantBeReadIsRefused) {
  const auto why = [](const std::string& bytes) {
    const auto zone = TimeZone::read("Test/Zone", bytes);
    return zone ? "read" : zone.error().message;
  };
  ZoneFile good;
  good.offsets = {0, 3600};
  good.changes = {{5, 1}, {9, 0}};
  good.rule = "UTC0";
  ASSERT_TRUE(good.read());
  EXPECT_EQ(why(""), "the compiled file of time zone 'Test/Zone' is no TZif file");
  EXPECT_THAT(why("# Version 2025b\n" + std::string(100, 'x')), HasSubstr("no TZif file"));
  for (std::size_t cut = 0; cut < good.bytes().size(); ++cut)
    EXPECT_NE(why(good.bytes().substr(0, cut)), "read") << cut << " bytes";
  ZoneFile file = good;
  file.version = '\0';
  EXPECT_THAT(why(file.bytes()), HasSubstr("has version 1"));
  file = good;
  file.leaps = 1;
  EXPECT_THAT(why(file.bytes()), HasSubstr("leap seconds"));
  file = good;
  file.changes = {{9, 1}, {5, 0}};
  EXPECT_THAT(why(file.bytes()), HasSubstr("contradicts itself"));
  file.changes = {{5, 2}};
  EXPECT_THAT(why(file.bytes()), HasSubstr("contradicts itself"));
  file = good;
  file.offsets = {0, 100'000};
  EXPECT_THAT(why(file.bytes()), HasSubstr("contradicts itself"));
  file = good;
  file.rule = "CET-1CEST,nonsense";
  EXPECT_THAT(why(file.bytes()), HasSubstr("rule that can't be read"));
}

TEST(ZoneRule, OtherTextIsRefused) {
  for (const char* text :
       {"C-1", "CET", "CET-", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
        "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J5",
        "CET-1CEST,366,5", "CET-168", "CET-1:60", "CET-1 ", "<CET-1", "<+0330-3:30",
        "CET-1CEST,M3.5.0,M10.5.0/3x", "CET-99999999999"})
    EXPECT_FALSE(parse_zone_rule(text)) << text;
  EXPECT_TRUE(parse_zone_rule("CET-1CEST,M3.5.0,M10.5.0/-167:59:59"));
}

}  // namespace
}  // namespace ba
