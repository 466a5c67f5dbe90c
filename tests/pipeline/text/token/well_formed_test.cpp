// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/well_formed.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

constexpr const char* kReplaced = "\xef\xbf\xbd";

std::string replaced(int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += kReplaced;
  return text;
}

TEST(WellFormed, LeavesUtf8AsItIs) {
  using namespace std::literals;
  for (const std::string& text :
       {""s, "plain"s, "a\0b"s, "\u007f\u0080\u07ff\u0800\ud7ff\ue000\uffff"s,
        "\U00010000\U0010ffff"s, "long enough for words, and \u00e9 at the end"s}) {
    EXPECT_TRUE(is_well_formed(text)) << text;
    EXPECT_EQ(well_formed(text), text);
  }
}

/// The cases of Unicode 16, tables 3-8 to 3-11.
TEST(WellFormed, ReplacesEachLongestBeginningOnce) {
  const std::pair<std::string, int> cases[] = {
      {"\xc0\xaf", 2},     {"\xe0\x80\xbf", 3}, {"\xf0\x81\x82", 3},
      {"\xed\xa0\x80", 3}, {"\xed\xbf\xbf", 3}, {"\xf4\x91\x92\x93", 4},
      {"\xff", 1},         {"\x80\xbf", 2},     {"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf", 4},
      {"\xe2\x82", 1},     {"\xf0\x9f\x99", 1}, {"\xf5\x80\x80\x80", 4},
  };
  for (const auto& [bytes, times] : cases) {
    EXPECT_FALSE(is_well_formed("before " + bytes));
    EXPECT_FALSE(is_well_formed("before and long enough " + bytes + "A"));
    EXPECT_EQ(well_formed("a" + bytes + "b"), "a" + replaced(times) + "b");
    EXPECT_EQ(well_formed(bytes), replaced(times));
  }
}

/// Long texts are read eight bytes at a time, short ones a character at a time. Every first byte,
/// with what its second one may be and not, at each place in the eight.
TEST(WellFormed, IsTheSameOfLongTextsAndShortOnes) {
  const int bytes[] = {0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc2, 0xe1, 0xff};
  int whole = 0;
  for (int first = 0; first < 256; ++first)
    for (const int second : bytes)
      for (const int third : bytes)
        for (const int last : {0x41, 0x7f, 0x80, 0xbf, 0xc0}) {
          std::string few;
          for (const int byte : {first, second, third, last}) few += static_cast<char>(byte);
          const std::string repaired = well_formed(few);
          whole += repaired == few ? 1 : 0;
          for (std::size_t before = 0; before < 8; ++before) {
            const std::string begin(before, 'a');
            const std::string end(24 - before, 'b');
            ASSERT_EQ(is_well_formed(begin + few + end), repaired == few) << first << ' ' << second;
            ASSERT_EQ(well_formed(begin + few + end), begin + repaired + end) << first;
          }
        }
  EXPECT_GT(whole, 1000);
}

}  // namespace
}  // namespace ba
