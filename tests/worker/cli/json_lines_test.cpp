// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/json_lines.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace ba {
namespace {

TEST(JsonLines, AreSplitAtLineEndsOnlyAndBlankOnesAreLeftOut) {
  std::istringstream in("{\"a\":1}\r\n\n  \n{\"b\":\"\xE2\x80\xA8\"}");
  JsonLines lines(in);
  auto line = lines.next();
  ASSERT_TRUE(line);
  EXPECT_EQ(line->text, "{\"a\":1}");
  EXPECT_EQ(line->number, 1U);
  line = lines.next();
  ASSERT_TRUE(line);
  EXPECT_EQ(line->text, "{\"b\":\"\xE2\x80\xA8\"}");
  EXPECT_EQ(line->number, 4U);
  EXPECT_FALSE(lines.next());
}

TEST(JsonLines, HaveALimitAndTheNextOneIsReadAllTheSame) {
  std::istringstream in("1234567890\n12345678\n");
  JsonLines lines(in, 8);
  EXPECT_TRUE(lines.next()->too_long);
  const auto line = lines.next();
  EXPECT_FALSE(line->too_long);
  EXPECT_EQ(line->text, "12345678");
  EXPECT_FALSE(lines.next());
}

}  // namespace
}  // namespace ba
