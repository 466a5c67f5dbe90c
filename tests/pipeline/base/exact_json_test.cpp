// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/exact_json.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

std::string again(const std::string& text) { return dump_exact(parse_exact<Json>(text)); }

TEST(ExactJson, WritesEveryNumberAsItWasRead) {
  for (const char* number : {"0",
                             "-0",
                             "-0.0",
                             "0.0",
                             "1.10",
                             "1.0",
                             "1e5",
                             "1E5",
                             "1e+05",
                             "100000.0",
                             "-1.5e-7",
                             "1e400",
                             "-1e-400",
                             "18446744073709551615",
                             "18446744073709551616",
                             "-9223372036854775808",
                             "-9223372036854775809",
                             "2512292042121000001",
                             "123456789012345678901234567890",
                             "0.1234567890123456789",
                             "0.1",
                             "3.141592653589793",
                             "3.1415926535897932",
                             "1e23",
                             "9007199254740993.0",
                             "0e0",
                             "0E-7",
                             "5e-324",
                             "1.7976931348623157e+308"}) {
    EXPECT_EQ(again(number), number);
    EXPECT_EQ(again("{\"a\":[" + std::string(number) + "]}"),
              "{\"a\":[" + std::string(number) + "]}");
    EXPECT_EQ(dump_exact(parse_exact<nlohmann::json>(number)), number);
  }
}

TEST(ExactJson, LeavesNumbersAsTheyAreThatTheLibraryWritesTheSame) {
  for (const char* number : {"0", "-7", "18446744073709551615", "0.5", "1.0", "-0.0", "1e+20"})
    EXPECT_TRUE(parse_exact<Json>(number).is_number()) << number;
  for (const char* number : {"-0", "1.10", "1e20", "18446744073709551616", "1e400"})
    EXPECT_TRUE(is_kept_number(parse_exact<Json>(number))) << number;
}

/// Whether a text is JSON the library decides, but for numbers beyond any double.
TEST(ExactJson, ReadsWhatTheLibraryReads) {
  for (const char* text : {"",
                           " ",
                           "{",
                           "}",
                           "[",
                           "]",
                           "[1",
                           "[1,",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "[]",
                           "[[]]",
                           "[[],[]]",
                           "{}",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1",
                           "{\"a\":1,}",
                           "{,}",
                           "{\"a\":1 \"b\":2}",
                           "{\"a\":{}}",
                           "{\"a\":[{}],\"b\":null}",
                           "{1:2}",
                           "{\"a\":1}}",
                           "[1]]",
                           "1 2",
                           "nul",
                           "null",
                           "true",
                           "false",
                           "tru",
                           "01",
                           "+1",
                           "-",
                           "1.",
                           ".5",
                           "1e",
                           "\"a",
                           "\"a\"",
                           "\"\\u12\"",
                           "\"\\ud800\"",
                           "\"\xff\"",
                           "\"\x01\"",
                           "\xef\xbb\xbf[1]",
                           "// c\n1",
                           "[1e5,-0,{\"a\":1.50}]"}) {
    EXPECT_EQ(accept_exact(text), nlohmann::json::accept(text)) << text;
    EXPECT_EQ(!parse_exact<Json>(text).is_discarded(), nlohmann::json::accept(text)) << text;
  }
}

TEST(ExactJson, TakesTheLastOfMembersOfOneName) {
  EXPECT_EQ(again(R"({"a":1,"b":2,"a":1.10})"), R"({"a":1.10,"b":2})");
}

TEST(ExactJson, LaysOutAsTheLibraryDoes) {
  const std::string text = R"({"a":[1,{"b\n":"é\u0001"},[],{}],"":null,"x":[[0.5]]})";
  const Json plain = Json::parse(text);
  Json kept = plain;
  kept["k"] = kept_number<Json>("12");
  Json same = plain;
  same["k"] = 12;
  for (const int indent : {-1, 0, 2, 4}) {
    EXPECT_EQ(dump_exact(plain, indent), plain.dump(indent));
    EXPECT_EQ(dump_exact(kept, indent), same.dump(indent));
  }
}

TEST(ExactJson, ReplacesBrokenUtf8BesideKeptNumbers) {
  Json value = {{"k", kept_number<Json>("1.10")}};
  value["t"] = "\xff";
  value["\xfe"] = 1;
  EXPECT_EQ(dump_exact(value), "{\"k\":1.10,\"t\":\"\ufffd\",\"\ufffd\":1}");
}

TEST(ExactJson, RefusesNumbersBeyondTheLimitsAndNulBytes) {
  EXPECT_TRUE(accept_exact(std::string(1000, '9')));
  EXPECT_FALSE(accept_exact(std::string(1001, '9')));
  EXPECT_FALSE(accept_exact("[1e1000]"));
  EXPECT_FALSE(accept_exact(std::string("1\0", 2)));
}

TEST(ExactJson, ReadsWhatIsNestedDeeplyWithoutRecursing) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  EXPECT_TRUE(accept_exact(deep));
}

TEST(KeptNumber, IsOfItsValueForWhoeverAsks) {
  const auto number = [](const char* text) { return number_as_written<Json>(text); };
  EXPECT_TRUE(is_any_number(number("1.10")));
  EXPECT_EQ(decimal_value(number("1.10")), decimal_value(number("1.1")));
  EXPECT_EQ(nearest_double(number("1.10")), 1.1);
  EXPECT_EQ(nearest_double(number("18446744073709551616")), 0x1p64);
  EXPECT_EQ(number_text(number("1e400")), "1e400");
  EXPECT_EQ(number_text(number("7")), "7");
}

}  // namespace
}  // namespace ba
