// SPDX-License-Identifier: Apache-2.0
#include "pipeline/message/json_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ba {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(JsonText, StringsAreEscapedOnlyWhereTheyMustBe) {
  std::string out;
  append_json_string(out, "a\"\\/\n\r\t\x01é😀");
  EXPECT_EQ(out, "\"a\\\"\\\\/\\n\\r\\t\\u0001é😀\"");
}

TEST(JsonText, MembersAndElementsStandAsTheyAre) {
  EXPECT_THAT(
      raw_members(R"( { "a" : 1.0 , "b,}" : {"x" : [1, "]"]} ,"c":"\"}" } )"),
      ElementsAre(Pair("a", "1.0"), Pair("b,}", R"({"x" : [1, "]"]})"), Pair("c", R"("\"}")")));
  EXPECT_THAT(raw_members("{}"), IsEmpty());
  EXPECT_THAT(raw_members("[1]"), IsEmpty());
  EXPECT_THAT(raw_elements(R"([ 1 , "a,b" ,[2,3], {} ])"),
              ElementsAre("1", R"("a,b")", "[2,3]", "{}"));
  EXPECT_THAT(raw_elements("[ ]"), IsEmpty());
}

TEST(JsonText, EscapesAreRead) {
  EXPECT_EQ(string_of(R"("a\"\\\/\b\f\n\r\t\u00e9\u6f22\ud83d\ude00")"), "a\"\\/\b\f\n\r\té漢😀");
  EXPECT_EQ(string_of("1"), std::nullopt);
  EXPECT_EQ(string_of(R"("\u0000")"), std::nullopt);
}

TEST(JsonText, OnlyStorableJsonIsAccepted) {
  EXPECT_TRUE(is_json_object(" {\"a\":[1]} "));
  EXPECT_TRUE(is_json("null"));
  for (const char* bad : {"", "{", "{}x", "[1,]", "NaN", "\"\xff\"", "\"\\ud800\"", "'a'"})
    EXPECT_FALSE(is_json(bad)) << bad;
  EXPECT_FALSE(is_json(std::string_view("{}\0x", 4)));
  EXPECT_FALSE(is_json_object("[]"));
}

TEST(JsonText, IntegersOf64BitsAreRead) {
  EXPECT_EQ(integer_of("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(integer_of("9223372036854775808"), std::nullopt);
  EXPECT_EQ(integer_of("1.0"), std::nullopt);
}

}  // namespace
}  // namespace ba
