// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/secret/coded_text.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

/// After `steps`.
std::string resolved(std::string_view text, int steps = 1) {
  CodedText coded(text);
  for (int step = 0; step < steps; ++step) EXPECT_TRUE(coded.resolve()) << text;
  return std::string(coded.text());
}

TEST(CodedText, ResolvesTheCodesOfAUrlAndOfJson) {
  EXPECT_EQ(resolved("a%40b%2fc%2F"), "a@b/c/");
  EXPECT_EQ(resolved(R"(\"\\\/\b\f\n\r\t)"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(resolved(R"(\u0041\u00e4\u20AC\ud83d\ude00)"), "A\u00e4\u20ac\U0001f600");
}

TEST(CodedText, ResolvesOneStepAtATime) {
  EXPECT_EQ(resolved("p%2540x"), "p%40x");
  EXPECT_EQ(resolved("p%2540x", 2), "p@x");
  EXPECT_EQ(resolved(R"(\\\")", 2), "\"");
}

TEST(CodedText, LeavesWhatIsNoCode) {
  for (const char* text :
       {"", "plain", "100%", "5%2", "%zz", "\\", "\\x", "\\u12", "\\u12g4", "% 4"}) {
    CodedText coded(text);
    EXPECT_FALSE(coded.resolve()) << text;
    EXPECT_EQ(coded.text(), text);
  }
  EXPECT_EQ(resolved("%41%zz\\q"), "A%zz\\q");
}

TEST(CodedText, KnowsWhereEachByteStoodAtFirst) {
  CodedText coded("a%2540b");
  EXPECT_EQ(coded.place(7), 7U);
  for (int step = 0; step < 2; ++step) ASSERT_TRUE(coded.resolve());
  ASSERT_EQ(coded.text(), "a@b");
  EXPECT_EQ(coded.place(0), 0U);
  EXPECT_EQ(coded.place(1), 1U);
  EXPECT_EQ(coded.place(2), 6U);
  EXPECT_EQ(coded.place(3), 7U);
}

}  // namespace
}  // namespace ba
