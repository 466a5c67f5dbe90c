// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/utf8.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

using namespace std::string_literals;

TEST(Utf8, WellFormedTextHasNoDefect) {
  for (const std::string& text : {""s, "plain ascii text, long enough"s, "é漢😀"s, "\xed\x9f\xbf"s,
                                  "\xee\x80\x80"s, "\xf4\x8f\xbf\xbf"s})
    EXPECT_EQ(utf8_defect(text), std::nullopt) << text;
}

TEST(Utf8, TheFirstDefectIsFoundWhereverItStands) {
  const std::string defects[] = {"\x80"s,
                                 "\xc0\x80"s,
                                 "\xc1\xbf"s,
                                 "\xe0\x9f\xbf"s,
                                 "\xed\xa0\x80"s,
                                 "\xf0\x8f\xbf\xbf"s,
                                 "\xf4\x90\x80\x80"s,
                                 "\xf5\x80\x80\x80"s,
                                 "\xff"s,
                                 "\xe6\xbc"s,
                                 "\xc3("s,
                                 "\0"s};
  for (std::size_t before = 0; before < 20; ++before)
    for (const std::string& defect : defects)
      EXPECT_EQ(utf8_defect(std::string(before, 'a') + defect + "tail"), before);
}

TEST(Utf8, DefectsAreDescribed) {
  EXPECT_EQ(describe_utf8_defect("a\xff", 1), "byte 1 is not valid UTF-8");
  EXPECT_EQ(describe_utf8_defect("a\0"s, 1), "byte 1 is a NUL character");
}

TEST(Utf8, WhatCanNotBeStoredIsReplaced) {
  EXPECT_EQ(storable("aé漢"), "aé漢");
  EXPECT_EQ(storable("a\0b\xff\xc3"s), "a\uFFFDb\uFFFD\uFFFD");
  EXPECT_EQ(utf8_sequence_length("漢字"), 3U);
  EXPECT_EQ(utf8_sequence_length("\xff"), 0U);
}

TEST(Utf8, CodePointsAreCounted) {
  EXPECT_EQ(code_points(""), 0U);
  EXPECT_EQ(code_points("aé漢😀"), 4U);
}

TEST(Utf8, APrefixCutsNoCharacter) {
  const std::string text = "aé€";  // 1, 2 and 3 bytes
  const std::vector<std::string> prefixes{"", "a", "a", "aé", "aé", "aé", text, text};
  for (std::size_t bytes = 0; bytes < prefixes.size(); ++bytes)
    EXPECT_EQ(utf8_prefix(text, bytes), prefixes[bytes]) << bytes;
}

TEST(Utf8, CodePointsAreAppended) {
  std::string text;
  for (const char32_t point : {U'a', U'\u07ff', U'\u0800', U'\uffff', U'\U00010000', U'\U0010ffff'})
    append_code_point(text, point);
  EXPECT_EQ(text, "a\u07ff\u0800\uffff\U00010000\U0010ffff");
}

TEST(Utf8, ControlCharactersAreFound) {
  EXPECT_FALSE(has_control_character("aé漢 \u00a0"));
  for (const std::string& text : {"a\n"s, "\x7f"s, "\0"s, "é\u0080"s, "\u009f"s})
    EXPECT_TRUE(has_control_character(text));
}

}  // namespace
}  // namespace ba
