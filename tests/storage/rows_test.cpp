// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scratch_schema.hpp"

namespace ba::storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Statement kValues{"values", R"sql(
  SELECT 7 AS number, 9223372036854775807 AS big, true AS flag, 'a "b"' AS text,
         '\x6100'::bytea AS bytes, NULL::text AS none, 1.5 AS fraction, 1 AS twice, 2 AS twice,
         timestamptz '2026-03-01 12:00:00.25+00' AS time, 1500000 AS micros, 250 AS ms)sql"};

constexpr Statement kMany{"many", R"sql(
  SELECT n, n * 10 AS tens, n % 2 = 0 AS even FROM generate_series(1, 4) AS r (n))sql"};

constexpr Statement kNone{"none", "SELECT 1 AS one WHERE false"};

class RowsTest : public testing::Test {
 protected:
  /// What `read(Row)` of kValues' only row answers or fails with.
  template <typename Read>
  auto of_values(Read read) {
    using Value = Result<decltype(read(std::declval<Row>()))>;
    return read_once(schema_.access(),
                     [&](Transaction& tx) -> Value { return read(tx.run(kValues).first()); });
  }

  template <typename Read>
  std::string failure(Read read) {
    const auto value = of_values(read);
    EXPECT_FALSE(value);
    if (value) return "";
    EXPECT_EQ(value.error().code, ErrorCode::Internal);
    EXPECT_EQ(value.error().retry, Retry::Never);
    return value.error().message;
  }

  ScratchSchema schema_{ScratchSchema::Fill::Empty};
};

TEST_F(RowsTest, ValuesAreReadByTheNamesOfTheirColumns) {
  const auto read = of_values([](const Row& row) {
    EXPECT_EQ(row.text("text"), "a \"b\"");
    EXPECT_EQ(row.number("number"), 7);
    EXPECT_EQ(row.big("big"), INT64_MAX);
    EXPECT_TRUE(row.flag("flag"));
    EXPECT_EQ(row.bytes("bytes"), std::string("a\0", 2));
    EXPECT_TRUE(row.is_null("none"));
    EXPECT_EQ(row.text_or_empty("none"), "");
    EXPECT_EQ(row.bytes_or_empty("none"), "");
    EXPECT_EQ(row.optional_big("none"), std::nullopt);
    EXPECT_EQ(row.big_or_zero("none"), 0);
    EXPECT_EQ(row.big_or_zero("number"), 7);
    EXPECT_EQ(row.optional_time("none"), std::nullopt);
    const WallTime noon = std::chrono::sys_days(std::chrono::year(2026) / 3 / 1) +
                          std::chrono::hours(12) + Milliseconds(250);
    EXPECT_EQ(row.time("time"), noon);
    EXPECT_EQ(row.optional_time("time"), noon);
    EXPECT_EQ(row.micros("micros"), WallTime(Milliseconds(1500)));
    EXPECT_EQ(row.milliseconds("ms"), Milliseconds(250));
    return 0;
  });
  EXPECT_TRUE(read) << read.error().message;
}

TEST_F(RowsTest, AnErrorNamesTheStatementAndTheColumn) {
  EXPECT_THAT(failure([](const Row& row) { return row.text("texts"); }),
              HasSubstr("statement \"values\": column \"texts\" isn't in its result, which has "
                        "number, big, flag, text"));
  EXPECT_THAT(failure([](const Row& row) { return row.number("twice"); }),
              HasSubstr("column \"twice\" stands in its result twice"));
  EXPECT_THAT(failure([](const Row& row) { return row.text("none"); }),
              HasSubstr("column \"none\" is null, which it may not be"));
  EXPECT_THAT(failure([](const Row& row) { return row.big("fraction"); }),
              HasSubstr("column \"fraction\" has \"1.5\", which is no integer of 64 bits"));
  EXPECT_THAT(failure([](const Row& row) { return row.number("big"); }),
              HasSubstr("column \"big\" has 9223372036854775807, which is no integer of 32 bits"));
  EXPECT_THAT(failure([](const Row& row) { return row.flag("number"); }),
              HasSubstr("column \"number\" has \"7\", which is neither true nor false"));
  EXPECT_THAT(failure([](const Row& row) { return row.time("text").time_since_epoch().count(); }),
              HasSubstr("which is no time"));
}

TEST_F(RowsTest, EachRowHasItsOwnValuesInWhateverOrderTheyAreReadAndHoweverMany) {
  const auto read = read_once(schema_.access(), [](Transaction& tx) -> Result<std::string> {
    const Rows rows = tx.run(kMany);
    EXPECT_EQ(rows.size(), 4U);
    std::string text;
    for (const Row& row : rows) {
      if (row.flag("even")) text += row.text("tens") + "/";
      text += row.text("n") + "/" + row.text("tens") + " ";
    }
    return text + rows[1].text("n") + rows[0].text("tens") + rows[3].text("n");
  });
  EXPECT_EQ(read.value(), "1/10 20/2/20 3/30 40/4/40 2104");
}

TEST_F(RowsTest, ARowKeepsItsResult) {
  const auto read = read_once(schema_.access(), [](Transaction& tx) -> Result<std::vector<int>> {
    std::vector<Row> kept;
    for (const Row& row : tx.run(kMany)) kept.push_back(row);
    std::vector<int> numbers;
    for (const Row& row : kept) numbers.push_back(row.number("tens"));
    return numbers;
  });
  EXPECT_THAT(read.value(), ElementsAre(10, 20, 30, 40));
}

TEST_F(RowsTest, AStatementThatAlwaysHasARowFailsWithoutOne) {
  const auto read = read_once(schema_.access(), [](Transaction& tx) -> Result<int> {
    EXPECT_TRUE(tx.run(kNone).empty());
    return tx.run(kNone).first().number("one");
  });
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("statement \"none\" answered no row"));
}

}  // namespace
}  // namespace ba::storage
