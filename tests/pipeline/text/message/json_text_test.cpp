// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/json_text.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

TEST(JsonText, StringsAreEscapedOnlyWhereTheyMustBe) {
  std::string out;
  append_json_string(out, "a\"\\/\n\r\t\x01é😀");
  EXPECT_EQ(out, "\"a\\\"\\\\/\\n\\r\\t\\u0001é😀\"");
}

TEST(JsonText, OnlyStorableJsonIsAccepted) {
  EXPECT_TRUE(is_json_object(" {\"a\":[1]} "));
  EXPECT_TRUE(is_json("null"));
  for (const char* bad : {"", "{", "{}x", "[1,]", "NaN", "\"\xff\"", "\"\\ud800\"", "'a'"})
    EXPECT_FALSE(is_json(bad)) << bad;
  EXPECT_FALSE(is_json(std::string_view("{}\0x", 4)));
  EXPECT_FALSE(is_json_object("[]"));
}

}  // namespace
}  // namespace ba
