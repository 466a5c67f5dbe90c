// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/array_literal.hpp"

#include <gtest/gtest.h>

namespace ba {

TEST(ArrayLiteral, NothingIsAnEmptyArray) { EXPECT_EQ(ArrayLiteral().str(), "{}"); }

TEST(ArrayLiteral, WritesNumbersTruthAndNull) {
  ArrayLiteral array;
  array.add(1);
  array.add(std::int64_t{-9223372036854775807});
  array.add(std::optional<std::int64_t>());
  array.add(true);
  EXPECT_EQ(array.str(), "{1,-9223372036854775807,NULL,t}");
}

TEST(ArrayLiteral, QuotesEveryTextSoThatNoneIsTakenForSyntax) {
  ArrayLiteral array;
  array.add("");
  array.add("NULL");
  array.add("a,b}{");
  array.add(R"(say "hi" \ bye)");
  EXPECT_EQ(array.str(), R"({"","NULL","a,b}{","say \"hi\" \\ bye"})");
}

TEST(ArrayLiteral, NoticesATextThatEndsTooEarly) {
  ArrayLiteral array;
  array.add(std::string_view("ab", 2));
  EXPECT_FALSE(array.holds_nul());
  array.add(std::string_view("a\0b", 3));
  EXPECT_TRUE(array.holds_nul());
}

TEST(ArrayLiteral, WritesBytesAsHex) {
  ArrayLiteral array;
  array.add_bytes(std::string_view("\x00\xff\"", 3));
  array.add_bytes("");
  EXPECT_EQ(array.str(), R"({"\\x00ff22","\\x"})");
  EXPECT_FALSE(array.holds_nul());
}

TEST(ArrayLiteral, HexReadsBackAllBytes) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  EXPECT_EQ(bytes_of_hex(hex_of_bytes(bytes)), bytes);
  EXPECT_EQ(bytes_of_hex(""), "");
  EXPECT_EQ(bytes_of_hex("plain"), "");
}

}  // namespace ba
