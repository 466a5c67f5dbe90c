// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/json_view.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <vector>

namespace ba {
namespace {

TEST(JsonView, FindsItsWayAndKeepsEveryByte) {
  const std::string text =
      R"( {"a" : [1, {"b":"x\n\u00e9\ud83d\ude00"} , null], "n": -12, "a2":{ }} )";
  const auto json = JsonView::parse(text);
  ASSERT_TRUE(json);
  std::vector<std::string> elements;
  (*json)["a"].for_each_element([&](JsonView element) { elements.emplace_back(element.raw()); });
  EXPECT_EQ(elements, (std::vector<std::string>{"1", R"({"b":"x\n\u00e9\ud83d\ude00"})", "null"}));
  EXPECT_EQ((*json)["n"].integer(), -12);
  EXPECT_EQ((*json)["a2"].raw(), "{ }");
  EXPECT_TRUE((*json)["none"].absent());
  EXPECT_TRUE((*json)["n"]["deeper"].absent());
  EXPECT_EQ(JsonView::parse(elements[1])->operator[]("b").text(), "x\né😀");
}

TEST(JsonView, GoesByMembersAsTheyStand) {
  std::vector<std::pair<std::string, std::string>> members;
  JsonView::parse(R"( { "a" : 1.0 , "b,}" : {"x" : [1, "]"]} ,"c":"\"}" } )")
      ->for_each_member(
          [&](std::string_view name, JsonView value) { members.emplace_back(name, value.raw()); });
  EXPECT_EQ(members,
            (decltype(members){{"a", "1.0"}, {"b,}", R"({"x" : [1, "]"]})"}, {"c", R"("\"}")"}}));
}

TEST(JsonView, OfProvenTextGoesAnyDepth) {
  const int deep = 3 * JsonView::kDepthMax;
  const std::string text = " [" + std::string(deep, '[') + std::string(deep, ']') + ",7]";
  std::vector<std::optional<std::int64_t>> numbers;
  JsonView::of_proven(text).for_each_element(
      [&](JsonView element) { numbers.push_back(element.integer()); });
  EXPECT_EQ(numbers, (decltype(numbers){std::nullopt, 7}));
}

TEST(JsonView, TakesTheLastOfRepeatedMembers) {
  EXPECT_EQ((*JsonView::parse(R"({"a":1,"a":2})"))["a"].integer(), 2);
}

TEST(JsonView, ReadsIntegersOnly) {
  for (const auto& [text, value] : std::vector<std::pair<std::string, std::optional<std::int64_t>>>{
           {"7", 7},
           {"7.0", 7},
           {"1e3", 1000},
           {"7.5", std::nullopt},
           {"1e300", std::nullopt},
           {"9223372036854775807", INT64_MAX},
           {"-9223372036854775808", INT64_MIN},
           {"9223372036854775808", std::nullopt},
           {"\"7\"", std::nullopt}})
    EXPECT_EQ(JsonView::parse(text)->integer(), value) << text;
}

TEST(JsonView, RefusesANumberBeyondTheLimits) {
  for (const std::string& text :
       {std::string("1e1000"), std::string("-1E+1009"), std::string(1001, '9')})
    EXPECT_FALSE(JsonView::parse(text)) << text;
  for (const std::string& text : {std::string("1e400"), std::string("1e-4000"),
                                  std::string(1000, '9'), "-0." + std::string(390, '0') + "1028"})
    EXPECT_TRUE(JsonView::parse(text)) << text;
}

TEST(JsonView, RefusesWhatIsNestedTooDeeply) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']');
  };
  EXPECT_TRUE(JsonView::parse(nested(JsonView::kDepthMax)));
  EXPECT_FALSE(JsonView::parse(nested(JsonView::kDepthMax + 1)));
  EXPECT_FALSE(JsonView::parse(std::string(1'000'000, '[')));
}

TEST(JsonView, SaysWhereTheTextIsWrong) {
  const auto json = JsonView::parse(R"({"a":1,})");
  ASSERT_FALSE(json);
  EXPECT_EQ(json.error().code, ErrorCode::Protocol);
  EXPECT_EQ(json.error().message, "a member's name is missing at byte 7");
}

/// What the view says, in nlohmann's terms.
nlohmann::json copy(JsonView view) {
  if (view.is(JsonKind::Object)) {
    auto object = nlohmann::json::object();
    view.for_each_member([&](std::string_view key, JsonView value) {
      object[nlohmann::json::parse("\"" + std::string(key) + "\"").get<std::string>()] =
          copy(value);
    });
    return object;
  }
  if (view.is(JsonKind::Array)) {
    auto array = nlohmann::json::array();
    view.for_each_element([&](JsonView value) { array.push_back(copy(value)); });
    return array;
  }
  if (view.is(JsonKind::String)) return view.text();
  return nlohmann::json::parse(view.raw());
}

/// Mutations of valid texts: the two parsers must agree on each.
TEST(JsonView, AgreesWithAnotherParserOnDamagedTexts) {
  const std::vector<std::string> seeds = {
      R"({"id":"msg_1","content":[{"type":"text","text":"a\u00e9\\ \"q\" ü"}],"u":{"n":1.5e-3,"z":null}})",
      R"([true,false,null,-0,0.1,[],{},"\ud83d\ude00\/\b\f\n\r\t"])", "  \"plain\"  "};
  const std::string alphabet = "{}[]\",:\\u0e.-+1dtfn /\x01\x7f\xc3\xa9\xff";
  const unsigned seed = 20261122;
  std::mt19937 random(seed);
  int accepted = 0;
  for (int round = 0; round < 60'000; ++round) {
    std::string text = seeds[random() % seeds.size()];
    for (unsigned edits = 1 + random() % 3; edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      const char c = alphabet[random() % alphabet.size()];
      if (random() % 3 == 0)
        text.erase(at, 1);
      else if (random() % 2 == 0)
        text.insert(at, 1, c);
      else
        text[at] = c;
      if (text.empty()) text = "1";
    }
    const auto view = JsonView::parse(text);
    ASSERT_EQ(static_cast<bool>(view), nlohmann::json::accept(text)) << text << " seed " << seed;
    if (!view) continue;
    ++accepted;
    ASSERT_EQ(copy(*view), nlohmann::json::parse(text)) << text;
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace ba
