// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/output_level.hpp"

#include <gtest/gtest.h>

#include <string>

#include "pipeline/base/exact_json.hpp"

namespace ba {
namespace {

constexpr std::int64_t kNoLimit = 1 << 30;

ResultFormat as(OutputLevel level, std::int64_t bytes_max = kNoLimit) {
  ResultFormat format;
  format.level = level;
  format.bytes_max = bytes_max;
  return format;
}

std::string text_of(std::string_view data, OutputLevel level) {
  return format_result(data, as(level)).value().text;
}
std::string brief(std::string_view data) { return text_of(data, OutputLevel::Brief); }
std::string standard(std::string_view data) { return text_of(data, OutputLevel::Standard); }
std::string full(std::string_view data) { return text_of(data, OutputLevel::Full); }
std::string summary(std::string_view data) {
  return format_result(data, as(OutputLevel::Brief)).value().data_summary;
}

std::string times(int count, std::string_view piece) {
  std::string text;
  for (int i = 0; i < count; ++i) text += piece;
  return text;
}
std::string json_string(const std::string& text) { return "\"" + text + "\""; }

// ---- which level -------------------------------------------------------------------------------

TEST(EffectiveLevel, IsTheFirstThatApplies) {
  LevelChoice choice;
  EXPECT_EQ(effective_level(choice), OutputLevel::Standard);
  choice.global_default = OutputLevel::Full;
  EXPECT_EQ(effective_level(choice), OutputLevel::Full);
  choice.window_used = 0.81;
  EXPECT_EQ(effective_level(choice), OutputLevel::Brief);
  choice.tool_default = OutputLevel::Standard;
  EXPECT_EQ(effective_level(choice), OutputLevel::Standard);
  choice.asked = OutputLevel::Full;
  EXPECT_EQ(effective_level(choice), OutputLevel::Full);
}

TEST(EffectiveLevel, IsBriefOnlyAboveEightyPercent) {
  LevelChoice choice;
  choice.window_used = 0.8;
  EXPECT_EQ(effective_level(choice), OutputLevel::Standard);
  choice.window_used = 0.8001;
  EXPECT_EQ(effective_level(choice), OutputLevel::Brief);
}

// ---- BRIEF -------------------------------------------------------------------------------------

TEST(Brief, CountsTheItemsOfAnArray) {
  EXPECT_EQ(brief("[]"), "Found 0 items");
  EXPECT_EQ(brief("[1,2,3]"), "Found 3 items");
}

TEST(Brief, TellsSuccessAndItsMessage) {
  EXPECT_EQ(brief(R"({"success":true,"message":"12 rows"})"), "Success: 12 rows");
  EXPECT_EQ(brief(R"({"success":false,"message":"full"})"), "Failed: full");
  EXPECT_EQ(brief(R"({"success":true})"), "Success: Operation completed");
  EXPECT_EQ(brief(R"({"success":false,"message":null})"), "Failed: Operation completed");
  EXPECT_EQ(brief(R"({"success":true,"message":{"n":1}})"), R"(Success: {"n":1})");
}

TEST(Brief, ReadsSuccessAsTrueOrFalseOnly) {
  EXPECT_EQ(brief(R"({"success":1,"message":"x"})"), "Result has 2 fields");
  EXPECT_EQ(brief(R"({"success":"true"})"), "Result has 1 fields");
}

TEST(Brief, CountsTheFieldsOfAnyOtherObject) {
  EXPECT_EQ(brief(R"({"a":1,"b":2})"), "Result has 2 fields");
  EXPECT_EQ(brief("{}"), "Result has 0 fields");
}

TEST(Brief, CutsATextAfterAHundredCodePoints) {
  EXPECT_EQ(brief(json_string(times(100, "a"))), times(100, "a"));
  EXPECT_EQ(brief(json_string(times(101, "a"))), times(100, "a") + "…");
  EXPECT_EQ(brief(json_string(times(100, "✈"))), times(100, "✈"));
  EXPECT_EQ(brief(json_string(times(101, "✈"))), times(100, "✈") + "…");
  EXPECT_EQ(brief(json_string(times(101, "𝄞"))), times(100, "𝄞") + "…");
  EXPECT_EQ(brief(json_string(times(99, "x") + "e\u0301")), times(99, "x") + "e…");
}

TEST(Brief, ShowsOtherScalarsAsJson) {
  EXPECT_EQ(brief("336776"), "336776");
  EXPECT_EQ(brief("true"), "true");
  EXPECT_EQ(brief("null"), "null");
  EXPECT_EQ(brief("12.5"), "12.5");
}

// ---- STANDARD ----------------------------------------------------------------------------------

TEST(Standard, ListsTheFirstThreeItems) {
  EXPECT_EQ(standard("[]"), "Found 0 items:");
  EXPECT_EQ(standard(R"(["a",2])"), "Found 2 items:\n  - a\n  - 2");
  EXPECT_EQ(standard("[1,2,3]"), "Found 3 items:\n  - 1\n  - 2\n  - 3");
  EXPECT_EQ(standard("[1,2,3,4]"), "Found 4 items:\n  - 1\n  - 2\n  - 3\n  ... and 1 more");
}

TEST(Standard, ShowsItemsInOrderOfInsertionAndUnescaped) {
  EXPECT_EQ(standard(R"([{"z":"Zürich","a":[1,null]},"東京"])"),
            "Found 2 items:\n  - {\"z\":\"Zürich\",\"a\":[1,null]}\n  - 東京");
  EXPECT_EQ(standard("[\"\\u6771\\u4eac\"]"), "Found 1 items:\n  - 東京");
}

TEST(Standard, IndentsAnObjectByTwo) {
  EXPECT_EQ(standard(R"({"rows":[{"count":336776}]})"),
            "{\n  \"rows\": [\n    {\n      \"count\": 336776\n    }\n  ]\n}");
}

TEST(Standard, CutsAnObjectAfterFiveHundredCodePoints) {
  const std::string prefix = "{\n  \"k\": \"";
  const int room = 500 - static_cast<int>(prefix.size()) - 3;  // the closing "\n}
  const auto object = [](int letters) { return R"({"k":")" + times(letters, "ß") + "\"}"; };
  EXPECT_EQ(standard(object(room)), prefix + times(room, "ß") + "\"\n}");
  EXPECT_EQ(standard(object(room + 1)), prefix + times(room + 1, "ß") + "\"\n…");
}

TEST(Standard, CutsATextAfterFiveHundredCodePoints) {
  EXPECT_EQ(standard(json_string(times(500, "語"))), times(500, "語"));
  EXPECT_EQ(standard(json_string(times(501, "語"))), times(500, "語") + "…");
}

TEST(Standard, ShowsOtherScalarsAsJson) {
  for (const char* scalar : {"336776", "true", "null", "12.5"}) EXPECT_EQ(standard(scalar), scalar);
}

// ---- FULL --------------------------------------------------------------------------------------

TEST(Standard, ShowsTheWholeTextOfAToolThatWantsIt) {
  ResultFormat format = as(OutputLevel::Standard);
  format.whole_text = true;
  const std::string text = times(600, "é");
  EXPECT_EQ(format_result(json_string(text), format)->text, text);
  EXPECT_EQ(format_result("[1,2,3,4]", format)->text, standard("[1,2,3,4]"));
  format.level = OutputLevel::Brief;
  EXPECT_EQ(format_result(json_string(text), format)->text, brief(json_string(text)));
}

TEST(Full, IsTheCompleteJsonIndentedByTwo) {
  EXPECT_EQ(full(R"([{"b":"é","a":1.5},"x"])"),
            "[\n  {\n    \"b\": \"é\",\n    \"a\": 1.5\n  },\n  \"x\"\n]");
  EXPECT_EQ(full(json_string(times(1000, "x"))), json_string(times(1000, "x")));
}

TEST(Full, KeepsIntegersExactly) {
  EXPECT_EQ(full("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(full("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(full("18446744073709551615"), "18446744073709551615");
}

TEST(Full, KeepsEveryNumberAsItIsWritten) {
  constexpr const char* kRow = R"({"id":18446744073709551617,"rate":1.10,"neg":-0,"huge":1e400})";
  ResultFormat format = as(OutputLevel::Full);
  EXPECT_EQ(format_result(kRow, format)->data, kRow);
  EXPECT_EQ(full("[1.10]"), "[\n  1.10\n]");
  format.encoding = DataEncoding::Compact;
  EXPECT_EQ(format_result(kRow, format)->text,
            "id: 18446744073709551617\nrate: 1.10\nneg: -0\nhuge: 1e400");
  EXPECT_EQ(brief("123456789012345678901234567890"), "123456789012345678901234567890");
  EXPECT_NE(format_result("[18446744073709551617]", format)->data_hash,
            format_result("[18446744073709551618]", format)->data_hash);
}

TEST(Full, IsCutBetweenCodePointsAtTheByteLimitAndSaysSo) {
  const std::string cut =
      format_result(json_string(times(10, "語")), as(OutputLevel::Full, 12)).value().text;
  EXPECT_EQ(cut, "\"" + times(3, "語") + "\n… [cut: the first 10 of 32 bytes]");
  EXPECT_EQ(format_result("\"abc\"", as(OutputLevel::Full, 5)).value().text, "\"abc\"");
}

TEST(Formatting, ReplacesNulWhichNothingBehindItCanHold) {
  EXPECT_EQ(standard("\"a\\u0000b\\u0000\""), "a\uFFFDb\uFFFD");
}

TEST(Formatting, RefusesWhatIsNotJson) {
  EXPECT_EQ(format_result("{", as(OutputLevel::Full)).error().code, ErrorCode::Protocol);
  EXPECT_EQ(format_result("", as(OutputLevel::Full)).error().code, ErrorCode::Protocol);
  EXPECT_FALSE(format_result(times(100000, "["), as(OutputLevel::Full)));
  EXPECT_TRUE(format_result(times(64, "[") + times(64, "]"), as(OutputLevel::Full)));
}

TEST(Formatting, GivesWhatIsTooDeepOrWideAsItsTextAndSaysSo) {
  constexpr const char* kNote =
      "What is nested or wide beyond at most 64 levels and 4096 members an object is given as its "
      "text.";
  std::string wide = "{\"k0\": 1.10";
  for (int i = 1; i < 4097; ++i) wide += ",\"k" + std::to_string(i) + "\":0";
  for (const std::string& data :
       {times(65, "[") + times(65, "]"), times(20000, "[") + times(20000, "]"), wide + "}"}) {
    ResultFormat format = as(OutputLevel::Full);
    format.note = "One of two.";
    const auto result = format_result(data, format);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->text, dump_exact(nlohmann::json(data)) + "\n" + kNote + " One of two.");
    EXPECT_EQ(result->note, std::string(kNote) + " One of two.");
    EXPECT_EQ(parse_exact_known<nlohmann::json>(result->data), data);
  }
  EXPECT_FALSE(format_result(wide, as(OutputLevel::Full))) << "it isn't JSON";
  EXPECT_EQ(format_result("7", as(OutputLevel::Full))->note, "");
}

// ---- what is recorded --------------------------------------------------------------------------

TEST(DataSize, IsThatOfTheCompactJsonAtEveryLevel) {
  for (const OutputLevel level : {OutputLevel::Brief, OutputLevel::Standard, OutputLevel::Full})
    EXPECT_EQ(format_result("{ \"k\" :  \"\\u00e9\" }", as(level)).value().data_size_bytes, 10);
}

TEST(DataSummary, NamesTheKeysOfTheFirstItem) {
  EXPECT_EQ(summary(R"([{"b":1,"a":2},{}])"), "List with 2 items. First item keys: ['b', 'a']");
  EXPECT_EQ(summary("[1]"), "List with 1 items. First item keys: N/A");
  EXPECT_EQ(summary("[]"), "List with 0 items. First item keys: N/A");
}

TEST(DataSummary, NamesTheFirstTenKeysOfAnObject) {
  EXPECT_EQ(summary(R"({"b":1,"a":2})"), "Dictionary with 2 keys. Top keys: b, a");
  EXPECT_EQ(summary(R"({"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1})"),
            "Dictionary with 11 keys. Top keys: a, b, c, d, e, f, g, h, i, j");
}

TEST(DataSummary, IsTheFirstTwoHundredCodePointsOfAText) {
  EXPECT_EQ(summary(json_string(times(200, "ö"))), times(200, "ö"));
  EXPECT_EQ(summary(json_string(times(201, "ö"))), times(200, "ö") + "…");
}

// ---- encodings ---------------------------------------------------------------------------------

constexpr const char* kRows =
    R"([{"id":1,"name":"a,b"},{"id":2,"name":"c"},{"id":3,"name":"true"},{"id":4,"name":"d"}])";

std::string encoded(std::string_view data, OutputLevel level, DataEncoding encoding,
                    bool prefix = false) {
  ResultFormat format = as(level);
  format.encoding = encoding;
  format.stable_prefix = prefix;
  format.tool = "a<tool";
  return format_result(data, format).value().text;
}

TEST(OutputLevel, ShowsTheFirstRowsOfAListInTheEncoding) {
  EXPECT_EQ(
      encoded(kRows, OutputLevel::Standard, DataEncoding::Compact),
      "Found 4 items:\n  [3]{id,name}:\n    1,\"a,b\"\n    2,c\n    3,\"true\"\n  ... and 1 more");
  EXPECT_EQ(encoded("[{\"a\":[1]}]", OutputLevel::Standard, DataEncoding::Yaml),
            "Found 1 items:\n  - a:\n    - 1");
  EXPECT_EQ(encoded("[1,\"1\"]", OutputLevel::Standard, DataEncoding::Xml),
            "Found 2 items:\n  <data><item>1</item><item type=\"string\">1</item></data>");
  for (const DataEncoding encoding : {DataEncoding::Json, DataEncoding::Compact, DataEncoding::Yaml,
                                      DataEncoding::Xml, DataEncoding::Auto})
    EXPECT_EQ(encoded("[]", OutputLevel::Standard, encoding), "Found 0 items:");
}

TEST(OutputLevel, CutsAnEncodedObjectAfterFiveHundredCodePoints) {
  EXPECT_EQ(encoded(R"({"a":{"b":null}})", OutputLevel::Standard, DataEncoding::Compact),
            "a:\n  b: null");
  const std::string text =
      encoded("{\"k\":\"" + times(600, "é") + "\"}", OutputLevel::Standard, DataEncoding::Yaml);
  EXPECT_EQ(text, "k: " + times(497, "é") + "…");
}

TEST(OutputLevel, WritesTheWholeInTheEncoding) {
  EXPECT_EQ(encoded(kRows, OutputLevel::Full, DataEncoding::Compact),
            "[4]{id,name}:\n  1,\"a,b\"\n  2,c\n  3,\"true\"\n  4,d");
  EXPECT_EQ(encoded(R"({"a":1})", OutputLevel::Full, DataEncoding::Yaml),
            "result:\n  data:\n    a: 1\n  summary: \"Dictionary with 1 keys. Top keys: a\"");
  EXPECT_EQ(encoded(R"({"a":"<"})", OutputLevel::Full, DataEncoding::Xml),
            "<tool_result name=\"a&lt;tool\"><summary>Dictionary with 1 keys. Top keys: "
            "a</summary><data><a>&lt;</a></data></tool_result>");
}

TEST(OutputLevel, NoEncodingChangesBriefOrABareText) {
  for (const DataEncoding encoding :
       {DataEncoding::Compact, DataEncoding::Yaml, DataEncoding::Xml, DataEncoding::Auto}) {
    EXPECT_EQ(encoded(kRows, OutputLevel::Brief, encoding), brief(kRows));
    EXPECT_EQ(encoded("\"1\"", OutputLevel::Standard, encoding), "1");
  }
}

TEST(OutputLevel, AutoIsATableForObjectsWithTheSameFieldsElseJsonOnOneLine) {
  const auto full_of = [](std::string_view data) {
    return encoded(data, OutputLevel::Full, DataEncoding::Auto);
  };
  EXPECT_EQ(full_of(kRows), "[4]{id,name}:\n  1,\"a,b\"\n  2,c\n  3,\"true\"\n  4,d");
  EXPECT_EQ(full_of(R"([{"a":1,"b":2},{"b":3,"a":4}])"), "[2]{a,b}:\n  1,2\n  4,3");
  for (const char* line : {R"([{"a":1},{"b":1}])", R"([{"a":1},{"a":1,"b":2}])", "[{},{}]", "[]",
                           R"([{"a":1},2])", "[1,2]", R"({"a":[{"b":"é"}]})", "12.5", "null"})
    EXPECT_EQ(full_of(line), line);
  EXPECT_EQ(full_of(R"("two\nlines")"), "two\nlines") << "a text is read as such";
}

TEST(OutputLevel, AutoAtStandardIsAsJson) {
  for (const char* data : {kRows, R"({"a":{"b":1}})", "[]", "\"text\""})
    EXPECT_EQ(encoded(data, OutputLevel::Standard, DataEncoding::Auto), standard(data));
}

TEST(OutputLevel, BeginsWithTheToolsTagIfAskedTo) {
  const std::string tag = "<tool_result name=\"a&lt;tool\">\n";
  EXPECT_EQ(encoded("[]", OutputLevel::Brief, DataEncoding::Json, true), tag + "Found 0 items");
  EXPECT_EQ(encoded("1", OutputLevel::Full, DataEncoding::Compact, true), tag + "1");
  EXPECT_EQ(encoded("1", OutputLevel::Full, DataEncoding::Xml, true),
            tag + "<summary>1</summary><data>1</data></tool_result>");
}

// ---- notes, and results that are shown in part -------------------------------------------------

TEST(Note, IsOneLineBelowTheTextOfEachLevelAndNoPartOfTheData) {
  ResultFormat format;
  format.note = "Only the first 2\nrows.";
  const auto at = [&](OutputLevel level) {
    format.level = level;
    return format_result("[1,2]", format).value();
  };
  EXPECT_EQ(at(OutputLevel::Brief).text, "Found 2 items\nOnly the first 2 rows.");
  EXPECT_EQ(at(OutputLevel::Standard).text, "Found 2 items:\n  - 1\n  - 2\nOnly the first 2 rows.");
  EXPECT_EQ(at(OutputLevel::Full).text, "[\n  1,\n  2\n]\nOnly the first 2 rows.");
  EXPECT_EQ(at(OutputLevel::Full).note, "Only the first 2 rows.");
  EXPECT_EQ(at(OutputLevel::Full).data, "[1,2]");
  EXPECT_EQ(at(OutputLevel::Full).data_hash,
            format_result("[1,2]", as(OutputLevel::Full)).value().data_hash);
}

TEST(Note, StandsBelowWhatWasCut) {
  ResultFormat format = as(OutputLevel::Full, 12);
  format.note = "said";
  EXPECT_EQ(format_result(json_string(times(20, "x")), format)->text,
            "\"" + times(11, "x") + "\n… [cut: the first 12 of 22 bytes]\nsaid");
}

TEST(Note, IsBounded) {
  ResultFormat format;
  format.note = times(3000, "é");
  EXPECT_EQ(format_result("1", format)->note, times(2000, "é") + "…");
}

FormattedResult within(std::string_view data, std::int64_t inline_max, std::int64_t preview,
                       DataEncoding encoding = DataEncoding::Auto) {
  ResultFormat format = as(OutputLevel::Full);
  format.encoding = encoding;
  format.full_inline_max = inline_max;
  format.preview_bytes = preview;
  return format_result(data, format).value();
}

TEST(InPart, IsOnlyWhatHasALongerTextThanMayBeInline) {
  const std::string text = "[4]{id,name}:\n  1,\"a,b\"\n  2,c\n  3,\"true\"\n  4,d";
  const auto size = static_cast<std::int64_t>(text.size());
  EXPECT_EQ(within(kRows, size, 10).text, text);
  EXPECT_FALSE(within(kRows, size, 10).in_part);
  EXPECT_TRUE(within(kRows, size - 1, 10).in_part);
}

TEST(InPart, ShowsAsManyFirstRowsAsFitAndCountsTheOthers) {
  const std::string two = "[2]{id,name}:\n  1,\"a,b\"\n  2,c";
  const auto size = static_cast<std::int64_t>(two.size());
  EXPECT_EQ(within(kRows, 40, size).text, two + "\n… 2 more rows");
  EXPECT_EQ(within(kRows, 40, size - 1).text, "[1]{id,name}:\n  1,\"a,b\"\n… 3 more rows");
  EXPECT_EQ(within(kRows, 40, 5).text, "… 4 more rows");
  EXPECT_EQ(within("[1,2]", 4, 3).text, "[1]\n… 1 more row");
  EXPECT_EQ(within("[1,2,3]", 4, 5, DataEncoding::Json).text, "… 3 more rows") << "[\\n  1\\n]";
}

TEST(InPart, CutsATableOfThousandsOfRowsBetweenThem) {
  std::string data = "[";
  for (int i = 0; i < 5000; ++i)
    data += (i > 0 ? "," : "") + ("{\"n\":" + std::to_string(1'000'000 + i)) + "}";
  const std::string text = within(data + "]", 16 * 1024, 4 * 1024).text;
  const std::string rows = text.substr(0, text.rfind("\n… "));
  EXPECT_LE(rows.size(), 4096u);
  EXPECT_GT(rows.size(), 4096u - 11u);
  const std::string head = rows.substr(0, rows.find('\n'));
  const int shown = std::stoi(head.substr(1));
  EXPECT_EQ(head, "[" + std::to_string(shown) + "]{n}:");
  EXPECT_TRUE(rows.ends_with("\n  " + std::to_string(1'000'000 + shown - 1)));
  EXPECT_TRUE(text.ends_with("\n… " + std::to_string(5000 - shown) + " more rows"));
}

TEST(InPart, CutsATextBetweenCodePoints) {
  EXPECT_EQ(within(json_string(times(10, "語")), 20, 8).text, "語語\n… 8 more characters");
  EXPECT_EQ(within(R"({"a":"bcd"})", 5, 7).text, "{\"a\":\"b\n… 4 more characters");
}

}  // namespace
}  // namespace ba
