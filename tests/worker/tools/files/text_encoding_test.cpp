// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/text_encoding.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace ba::files {
namespace {

std::string utf16(const std::u16string& text, bool big_endian) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char high = static_cast<char>(unit >> 8);
    const char low = static_cast<char>(unit & 0xFF);
    bytes += big_endian ? high : low;
    bytes += big_endian ? low : high;
  }
  return bytes;
}

TEST(DecodedText, Utf8StaysAsItIsWithoutItsMark) {
  for (const char* text : {"", "a,b\n", "Köln €\n", "\xEF\xBF\xBD"}) {
    EXPECT_EQ(decoded_text(text).text, text);
    EXPECT_EQ(decoded_text(text).encoding, "");
    EXPECT_FALSE(decoded_text(text).replaced);
    EXPECT_EQ(decoded_text("\xEF\xBB\xBF" + std::string(text)).text, text);
  }
}

TEST(DecodedText, Utf16IsReadInEitherOrderWithAndWithoutItsMark) {
  const std::vector<std::pair<std::u16string, std::string>> texts = {
      {u"id,city\r\n1,Köln\r\n", "id,city\r\n1,Köln\r\n"},
      {u"{\"a\":1}", "{\"a\":1}"},
      {u"名前\t数\n一\t1\n", "名前\t数\n一\t1\n"},
      {u"n,s\n1,😀\n", "n,s\n1,😀\n"}};
  for (const auto& [wide, expected] : texts)
    for (const bool big_endian : {false, true})
      for (const bool marked : {false, true}) {
        const DecodedText text = decoded_text(utf16((marked ? u"\uFEFF" : u"") + wide, big_endian));
        EXPECT_EQ(text.text, expected) << big_endian << marked;
        EXPECT_EQ(text.encoding, big_endian ? "UTF-16BE" : "UTF-16LE");
        EXPECT_FALSE(text.replaced);
      }
}

TEST(DecodedText, BrokenUtf16IsReplaced) {
  const DecodedText lone = decoded_text(utf16(u"\uFEFFa\xD800z", false));
  EXPECT_EQ(lone.text, "a\uFFFDz");
  EXPECT_TRUE(lone.replaced);
  const DecodedText half = decoded_text(utf16(u"\uFEFFab", true) + "x");
  EXPECT_EQ(half.text, "ab\uFFFD");
  EXPECT_TRUE(half.replaced);
}

TEST(DecodedText, WhatIsNoUnicodeIsWindows1252) {
  const DecodedText text = decoded_text("K\xF6ln \x80 \x93x\x94\n");
  EXPECT_EQ(text.text, "Köln € “x”\n");
  EXPECT_EQ(text.encoding, "Windows-1252");
  EXPECT_FALSE(text.replaced);
}

TEST(DecodedText, DamagedUtf8StaysUtf8) {
  const DecodedText text = decoded_text("Köln, Zürich, K\xF6ln");
  EXPECT_EQ(text.text, "Köln, Zürich, K\uFFFDln");
  EXPECT_EQ(text.encoding, "");
  EXPECT_TRUE(text.replaced);
  EXPECT_EQ(decoded_text(std::string("a\0b", 3)).text, "a\uFFFDb");
  EXPECT_TRUE(decoded_text(std::string("a\0b", 3)).replaced);
}

}  // namespace
}  // namespace ba::files
