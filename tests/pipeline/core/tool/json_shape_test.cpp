// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/json_shape.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ba {
namespace {

TEST(JsonShape, CountsOpenBracketsOutsideStrings) {
  EXPECT_EQ(json_shape("1").depth, 0);
  EXPECT_EQ(json_shape("[]").depth, 1);
  EXPECT_EQ(json_shape(R"({"a":[{"b":1}]})").depth, 3);
  EXPECT_EQ(json_shape(R"(["[[[[", "\"[["])").depth, 1);
  EXPECT_EQ(json_shape("[[],[[]]]").depth, 3);
}

TEST(JsonShape, CountsTheMembersOfTheWidestObject) {
  EXPECT_EQ(json_shape("[1,2,3]").members, 0U);
  EXPECT_EQ(json_shape(R"({"a":1,"b":{"c":":::"}})").members, 2U);
  EXPECT_EQ(json_shape(R"([{"a":1},{"a":1,"b":2,"c":[{"d":4}]}])").members, 3U);
}

TEST(JsonShape, SurvivesTextThatIsNoJson) {
  EXPECT_EQ(json_shape(std::string(5'000'000, '[')).depth, 5'000'000);
  EXPECT_EQ(json_shape("\"\\").depth, 0);
  EXPECT_EQ(json_shape("]]]:::{:").members, 0U);
}

}  // namespace
}  // namespace ba
