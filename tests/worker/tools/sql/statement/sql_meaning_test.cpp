// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/statement/sql_meaning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/worker/tools/sql/statement/sql_pairs.hpp"

namespace ba::sql {
namespace {

using ::testing::HasSubstr;

TEST(SqlMeaning, IsTheSameForTextsThatMeanTheSameAndOnlyForThem) {
  const SqlMeaning meaning;
  int pairs = 0;
  for (const SqlPair& pair : sql_pairs()) {
    const auto left = meaning.read(pair.left);
    const auto right = meaning.read(pair.right);
    ASSERT_TRUE(left) << pair.left << ": " << left.error().message;
    ASSERT_TRUE(right) << pair.right << ": " << right.error().message;
    EXPECT_EQ(left->canonical == right->canonical, pair.same) << pair.left << "\n"
                                                              << pair.right << "\n"
                                                              << left->canonical << "\n"
                                                              << right->canonical;
    ++pairs;
  }
  EXPECT_GE(pairs, 300);
}

TEST(SqlMeaning, HoldsNoPlaceInTheText) {
  const auto reading = SqlMeaning().read("SELECT a /* here */ FROM t WHERE b = 1");
  ASSERT_TRUE(reading);
  EXPECT_THAT(reading->canonical, ::testing::Not(HasSubstr("location")));
}

TEST(SqlMeaning, RefusesWhatIsNotOneStatement) {
  for (const char* sql : {"", "SELEC", "SELECT 1; SELECT 2", "hello", "SELECT 'a"}) {
    EXPECT_FALSE(SqlMeaning().read(sql)) << sql;
  }
}

/// A newer server reads 0x10 as sixteen; an older one as `0 AS x10`.
TEST(SqlMeaning, RefusesANumberThatServersReadDifferently) {
  for (const char* sql : {"SELECT 0x10", "SELECT 1_000", "SELECT 1a", "SELECT 1.5e"})
    EXPECT_FALSE(SqlMeaning().read(sql)) << sql;
}

TEST(SqlMeaning, KeepsAColumnThatIsCalledLocation) {
  const auto location = SqlMeaning().read("SELECT location FROM t");
  const auto other = SqlMeaning().read("SELECT place FROM t");
  ASSERT_TRUE(location && other);
  EXPECT_NE(location->canonical, other->canonical);
}

}  // namespace
}  // namespace ba::sql
