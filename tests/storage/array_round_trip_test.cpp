// SPDX-License-Identifier: Apache-2.0
// Arrays as PostgreSQL reads them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "storage/postgres/rows.hpp"
#include "tests/support/scratch_schema.hpp"
#include "tests/support/test_seed.hpp"

namespace ba::storage {
namespace {

constexpr Statement kTexts{"texts", "SELECT * FROM unnest($1::text[]) AS r (value)"};
constexpr Statement kBytes{"bytes", "SELECT * FROM unnest($1::bytea[]) AS r (value)"};
constexpr Statement kJson{"json", "SELECT * FROM unnest($1::json[]) AS r (value)"};
constexpr Statement kAll{
    "all",
    "SELECT concat_ws(' ', b, s, i, l, coalesce(t, 'null'), z) AS value FROM unnest($1::boolean[],"
    " $2::smallint[], $3::integer[], $4::bigint[], $5::text[], $6::timestamptz[])"
    " AS r (b, s, i, l, t, z)"};

class ArrayRoundTrip : public testing::Test {
 protected:
  using Values = std::vector<std::string>;

  template <typename... Arrays>
  Result<Values> read(const Statement& statement, const Arrays&... arrays) {
    return read_once(schema_.access(), [&](Transaction& tx) -> Result<Values> {
      return read_all(tx.run(statement, arrays...),
                      [](const Row& row) { return row.text("value"); });
    });
  }

  ScratchSchema schema_{ScratchSchema::Fill::Empty};
};

TEST_F(ArrayRoundTrip, HostileTextsComeBackAsTheyWere) {
  const Values hostile{"",
                       " ",
                       "NULL",
                       "{}",
                       "{\"a\",b}",
                       "\\",
                       "\\\\\"",
                       "'; DROP TABLE jobs; --",
                       "a\nb\r\n\tc\v\f",
                       "\x01\x7f",
                       "\\x41",
                       "$1 %s ${x}",
                       "Grüße 🛫 \u2028 \uFEFF",
                       std::string(100000, '"'),
                       std::string(100000, '\\')};
  TextArray array;
  for (const std::string& text : hostile) array.add(text);
  EXPECT_EQ(read(kTexts, array).value(), hostile);
  EXPECT_THAT(read(kTexts, TextArray()).value(), testing::IsEmpty());
}

TEST_F(ArrayRoundTrip, EveryElementTypeIsRead) {
  BoolArray truths;
  SmallintArray smalls;
  IntegerArray integers;
  BigintArray bigs;
  TextArray texts;
  TimestampArray times;
  truths.add(true);
  truths.add(false);
  smalls.add(-32768);
  smalls.add(32767);
  integers.add(-2147483648LL);
  integers.add(2147483647);
  bigs.add(INT64_MIN);
  bigs.add(INT64_MAX);
  texts.add("x");
  texts.add_null();
  times.add(WallTime(Microseconds(1772366400000001)));
  times.add(WallTime(Microseconds(0)));
  EXPECT_THAT(read(kAll, truths, smalls, integers, bigs, texts, times).value(),
              testing::ElementsAre(
                  "t -32768 -2147483648 -9223372036854775808 x 2026-03-01 12:00:00.000001+00",
                  "f 32767 2147483647 9223372036854775807 null 1970-01-01 00:00:00+00"));
}

TEST_F(ArrayRoundTrip, RandomBytesComeBackAsTheyWere) {
  const auto seed = static_cast<unsigned>(test_seed());
  SCOPED_TRACE("BA_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  Values blobs;
  ByteaArray array;
  for (int i = 0; i < 500; ++i) {
    std::string& blob = blobs.emplace_back();
    for (unsigned n = random() % 40; n > 0; --n) blob += static_cast<char>(random() % 256);
    array.add(blob);
  }
  Values read_blobs;
  for (const std::string& hex : read(kBytes, array).value())
    read_blobs.push_back(bytes_of_hex(hex));
  EXPECT_EQ(read_blobs, blobs);
}

TEST_F(ArrayRoundTrip, WhatIsNoTextIsRefusedAndNotCut) {
  for (const std::string& bad :
       {std::string("a\0b", 3), std::string("\xff"), std::string("\xed\xa0\x80")}) {
    TextArray array;
    array.add(bad);
    const auto refused = read(kTexts, array);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument) << refused.error().message;
  }
  JsonArray json;
  json.add("{\"a\":");
  EXPECT_EQ(read(kJson, json).error().code, ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace ba::storage
