// SPDX-License-Identifier: Apache-2.0
// The bytes; that PostgreSQL reads them is in array_round_trip_test.cpp.
#include "storage/postgres/array_parameter.hpp"

#include <gtest/gtest.h>

namespace ba::storage {
namespace {

using namespace std::string_literals;

TEST(ArrayParameter, NothingIsAnArrayWithoutDimensions) {
  EXPECT_TRUE(TextArray().empty());
  EXPECT_EQ(TextArray().encode(), "\0\0\0\0\0\0\0\0\0\0\0\x19"s);
}

TEST(ArrayParameter, ElementsFollowTheHeader) {
  IntegerArray array;
  array.add(1);
  array.add(-2);
  EXPECT_FALSE(array.empty());
  EXPECT_EQ(array.encode(),
            "\0\0\0\1\0\0\0\0\0\0\0\x17\0\0\0\2\0\0\0\1"
            "\0\0\0\4\0\0\0\1\0\0\0\4\xff\xff\xff\xfe"s);
}

TEST(ArrayParameter, NullsAreAnnounced) {
  TextArray array;
  array.add(std::optional<std::string>("a"));
  array.add(std::optional<std::string>());
  EXPECT_EQ(array.encode(),
            "\0\0\0\1\0\0\0\1\0\0\0\x19\0\0\0\2\0\0\0\1"
            "\0\0\0\1"
            "a\xff\xff\xff\xff"s);
}

TEST(ArrayParameterDeathTest, ANumberThatDoesNotFitIsABug) {
  SmallintArray array;
  array.add(32767);
  EXPECT_DEATH(array.add(32768), "");
}

}  // namespace
}  // namespace ba::storage
