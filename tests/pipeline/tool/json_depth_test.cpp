// SPDX-License-Identifier: Apache-2.0
#include "pipeline/tool/json_depth.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ba {
namespace {

TEST(JsonDepth, CountsOpenBracketsOutsideStrings) {
  EXPECT_EQ(json_depth("1"), 0);
  EXPECT_EQ(json_depth("[]"), 1);
  EXPECT_EQ(json_depth(R"({"a":[{"b":1}]})"), 3);
  EXPECT_EQ(json_depth(R"(["[[[[", "\"[["])"), 1);
  EXPECT_EQ(json_depth("[[],[[]]]"), 3);
}

TEST(JsonDepth, SurvivesTextThatNeverEnds) {
  EXPECT_EQ(json_depth(std::string(5'000'000, '[')), 5'000'000);
  EXPECT_EQ(json_depth("\"\\"), 0);
}

}  // namespace
}  // namespace ba
