// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/flat_json.hpp"

#include <gtest/gtest.h>

#include "tests/scripted_model/append_json.hpp"
#include "tests/scripted_model/utf8_cut.hpp"

namespace ba::scripted {
namespace {

TEST(JsonView, FindsMembersAndElementsInOrder) {
  JsonDocument document;
  ASSERT_TRUE(document.parse(R"( {"a": [1, {"b": "x"}, null], "c": true} )")) << document.problem();
  const JsonValue root = document.root();
  EXPECT_EQ(root.size(), 2U);
  EXPECT_EQ(root["a"].size(), 3U);
  EXPECT_EQ(root["a"].first().integer(), 1);
  EXPECT_TRUE(root["a"].first().next()["b"].equals("x"));
  EXPECT_TRUE(root["a"].first().next().next().is(JsonKind::Null));
  EXPECT_TRUE(root["c"].is(JsonKind::True));
  EXPECT_FALSE(root["d"]);
  EXPECT_EQ(root["a"].raw(), R"([1, {"b": "x"}, null])");
}

TEST(JsonView, UnescapesStrings) {
  JsonDocument document;
  ASSERT_TRUE(document.parse(R"("a\"\\\/\n\u00e9\ud83d\ude00z")"));
  EXPECT_EQ(document.root().text(), "a\"\\/\n\xC3\xA9\xF0\x9F\x98\x80z");
}

TEST(JsonView, RefusesWhatIsNotJson) {
  for (const char* text : {"",
                           "{",
                           "[1,]",
                           "{\"a\":1,}",
                           "01",
                           "1.",
                           "-",
                           "1e",
                           "\"a",
                           "\"\\x\"",
                           "\"\\ud800\"",
                           "\"\\udc00\"",
                           "\"\\ud800\\u0041\"",
                           "\"\x01\"",
                           "nul",
                           "tru",
                           "1 2",
                           "{a:1}",
                           "{\"a\" 1}",
                           "\xff",
                           "\"\xc3\"",
                           "\"\xed\xa0\x80\"",
                           "+1",
                           "[1 2]",
                           "]"}) {
    JsonDocument document;
    EXPECT_FALSE(document.parse(text)) << text;
    EXPECT_FALSE(document.problem().empty()) << text;
  }
}

TEST(JsonView, SeesTheEndAndTheFaultsOfAStringAtEveryPlace) {
  for (std::size_t before = 0; before < 20; ++before) {
    const std::string plain(before, 'x');
    const std::string good = "[\"" + plain + "\",\"" + plain + "\\\"\x7f\xC3\xA9" + plain + "\"]";
    JsonDocument document;
    ASSERT_TRUE(document.parse(good)) << good;
    EXPECT_EQ(document.root().first().text(), plain);
    EXPECT_EQ(document.root().first().next().text(), plain + "\"\x7f\xC3\xA9" + plain);
    EXPECT_FALSE(document.parse("\"" + plain + "\n" + plain + "\""));
    EXPECT_FALSE(document.parse("\"" + plain));
  }
}

TEST(JsonView, RefusesEndlessNesting) {
  JsonDocument document;
  EXPECT_FALSE(document.parse(std::string(100000, '[')));
  EXPECT_TRUE(document.parse(std::string(100, '[') + std::string(100, ']')));
}

TEST(JsonView, TellsIntegersFromOtherNumbers) {
  JsonDocument document;
  ASSERT_TRUE(document.parse("[-12, 1.5, 1e3, 99999999999999999999]"));
  JsonValue number = document.root().first();
  EXPECT_TRUE(number.is_integer());
  EXPECT_EQ(number.integer(), -12);
  number = number.next();
  EXPECT_FALSE(number.is_integer());
  EXPECT_EQ(number.number(), 1.5);
  number = number.next();
  EXPECT_FALSE(number.is_integer());
  EXPECT_EQ(number.number(), 1000);
  EXPECT_EQ(number.next().integer(), std::numeric_limits<std::int64_t>::max());
}

TEST(JsonText, WritesWhatJsonViewReads) {
  std::string every;
  for (char c = 1; c < 127; ++c) every += c;
  every += "\xC3\xA9\xF0\x9F\x98\x80";
  std::string json;
  append_json(json, every);
  JsonDocument document;
  ASSERT_TRUE(document.parse(json)) << document.problem();
  EXPECT_EQ(document.root().text(), every);
}

TEST(JsonText, PiecesKeepCharactersWhole) {
  const std::string text = "a\xC3\xA9\xF0\x9F\x98\x80\xE2\x82\xACzzzz\xF0\x9F\x98\x80";
  std::string joined;
  split_pieces(text, [&](std::string_view piece) {
    EXPECT_TRUE(is_utf8(piece));
    EXPECT_FALSE(piece.empty());
    joined += piece;
  });
  EXPECT_EQ(joined, text);
}

}  // namespace
}  // namespace ba::scripted
