// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/file_content.hpp"

#include <gtest/gtest.h>

namespace ba::files {
namespace {

constexpr const char* kCsv = "n,name\n1,one\n2,two\n3,three\n4,four\n";

/// The data, and below them what is said about them.
std::string shown(const std::string& text, FileFormat format, const FileSelection& selection) {
  const FileContent content = file_content(text, format, selection).value();
  return content.data + (content.note.empty() ? "" : "\n" + content.note);
}
std::string csv(const std::string& text, const FileSelection& selection = {}) {
  return shown(text, FileFormat::Csv, selection);
}
std::string json(const std::string& text, const FileSelection& selection = {}) {
  return shown(text, FileFormat::Json, selection);
}
std::string jsonl(const std::string& text, const FileSelection& selection = {}) {
  return shown(text, FileFormat::Jsonl, selection);
}
std::string lines(const std::string& text, const FileSelection& selection = {}) {
  return shown(text, FileFormat::Text, selection);
}

TEST(FileContent, GivesRowsAsObjectsAndPlainNumbersAsNumbers) {
  EXPECT_EQ(csv("a,b,c,d,e,f\n1,-2.5,007,1e5,NA,\n"),
            R"([{"a":1,"b":-2.5,"c":"007","d":"1e5","e":"NA","f":""}])");
  EXPECT_EQ(csv("a,b\n12345678901234567890123,1.50\n"),
            R"([{"a":"12345678901234567890123","b":"1.50"}])");
}

TEST(FileContent, ReadsARange) {
  FileSelection selection;
  selection.offset = 1;
  selection.limit = 2;
  EXPECT_EQ(csv(kCsv, selection),
            "[{\"n\":2,\"name\":\"two\"},{\"n\":3,\"name\":\"three\"}]\n"
            "2 of 4 rows, from offset 1 on.");
  selection.offset = 9;
  EXPECT_EQ(csv("n\n1\n", selection), "[]\nNone of 1 row, from offset 1 on.");
}

TEST(FileContent, TakesTheSameEvenSampleEachTime) {
  FileSelection selection;
  selection.sample = 2;
  const std::string expected =
      "[{\"n\":1,\"name\":\"one\"},{\"n\":3,\"name\":\"three\"}]\n"
      "2 of 4 rows, evenly spaced, from offset 0 on.";
  EXPECT_EQ(csv(kCsv, selection), expected);
  EXPECT_EQ(csv(kCsv, selection), expected);
  selection.sample = 100;
  EXPECT_TRUE(csv(kCsv, selection).ends_with(R"({"n":4,"name":"four"}])"));
}

TEST(FileContent, SaysWhenALimitCutItAndHowToGoOn) {
  FileSelection selection;
  selection.row_limit = 1;
  EXPECT_EQ(csv(kCsv, selection),
            "[{\"n\":1,\"name\":\"one\"}]\nOnly 1 of 4 rows, from offset 0 on. "
            "More are not read at once (row_limit: 1); go on with offset 1, or sample.");
  selection.offset = 1;
  EXPECT_EQ(csv(kCsv, selection),
            "[{\"n\":2,\"name\":\"two\"}]\nOnly 1 of 4 rows, from offset 1 on. "
            "More are not read at once (row_limit: 1); go on with offset 2, or sample.");
  selection = {};
  selection.bytes_max = 40;
  EXPECT_TRUE(csv(kCsv, selection).ends_with("go on with offset 2, or sample."));
  selection.bytes_max = 1;
  EXPECT_EQ(
      csv(kCsv, selection),
      R"([{"not_shown":"an object of 2 members, 20 bytes"}])"
      "\nOnly 1 of 4 rows, from offset 0 on. More are not read at once (result_bytes_max: 1); "
      "go on with offset 1, or sample. 1 part too large for a result of 1 bytes is not shown. Read "
      "the file with "
      "format text, offset and limit.");
}

TEST(FileContent, GivesAnItemOfJustTheBytesThatFitAndNotOfOneMore) {
  const std::string item = R"({"a":[1.10,-0,"\u0001é\"",{}],"b\n":{"c":null,"d":[]},"e":true})";
  FileSelection selection;
  selection.bytes_max = std::ssize(item);
  EXPECT_EQ(json("[" + item + "]", selection), "[" + item + "]");
  selection.bytes_max = std::ssize(item) - 1;
  EXPECT_NE(json("[" + item + "]", selection), "[" + item + "]");
}

TEST(FileContent, NamesBadRows) {
  EXPECT_EQ(csv("a,b\n1,2,3\n1,2\n"),
            "[{\"a\":1,\"b\":2}]\n1 row left out (line 2: 3 fields instead of 2).");
}

TEST(FileContent, NamesTheRowsOfAFileThatAreLeftOutInEachRangeOfIt) {
  FileSelection selection;
  selection.offset = 1;
  selection.limit = 1;
  EXPECT_EQ(csv("a,b\n1,2\n1,2,3\n4,5,,\n6,7\n", selection),
            "[{\"a\":4,\"b\":5}]\n1 of 3 rows, from offset 1 on. "
            "1 row left out (line 3: 3 fields instead of 2). "
            "read_as: empty cells after the last column left out in 1 row.");
}

TEST(FileContent, ReadsRowNamesAsAColumnAndSaysSo) {
  EXPECT_EQ(csv("mpg,cyl\n\"Mazda RX4\",21,6\n\"Valiant\",18.1,6\n"),
            "[{\"column_1\":\"Mazda RX4\",\"mpg\":21,\"cyl\":6},"
            "{\"column_1\":\"Valiant\",\"mpg\":18.1,\"cyl\":6}]\n"
            "read_as: the header has no name for the first column, which has the rows' names.");
}

TEST(FileContent, GivesNullForTheCellsThatAShortRowLacks) {
  EXPECT_EQ(csv("a,b\n1\n1,2\n"),
            "[{\"a\":1,\"b\":null},{\"a\":1,\"b\":2}]\n"
            "1 row with fewer cells than columns, which are null (line 2).");
}

TEST(FileContent, SaysWhatItTookTheFileFor) {
  EXPECT_EQ(csv("a;b\n\n1;K\xF6ln\n"),
            "[{\"a\":1,\"b\":\"Köln\"}]\n"
            "read_as: Windows-1252, separated by ;, 1 blank line left out.");
  EXPECT_EQ(csv({"\xFF\xFEi\0d\0\t\0n\0\n\0"
                 "1\0\t\0\xE4\0\n\0",
                 20}),
            "[{\"id\":1,\"n\":\"ä\"}]\nread_as: UTF-16LE, separated by tabs.");
}

TEST(FileContent, NamesTheColumnsOfATableWithoutRows) {
  EXPECT_EQ(csv("a,b\n"), "[]\nThere are no rows; the columns are a, b.");
}

TEST(FileContent, GivesTheRowsOfJsonLines) {
  EXPECT_EQ(jsonl("{\"a\":1}\n\n{\"a\": \"ä\"}\r\n"), R"([{"a":1},{"a":"ä"}])");
  EXPECT_EQ(jsonl(""), "[]");
  FileSelection selection;
  selection.offset = 1;
  EXPECT_EQ(jsonl("{\"a\":1}\n{\"a\":2}", selection),
            "[{\"a\":2}]\n1 of 2 rows, from offset 1 on.");
  selection = {};
  selection.json_path = "$[*].a";
  EXPECT_EQ(jsonl("{\"a\":1}\n{\"a\":2}", selection), "[1,2]");
}

TEST(FileContent, ALineThatIsNotJsonCostsItselfAlone) {
  EXPECT_EQ(jsonl("{\"a\":1}\n{\"a\":\n{\"a\":2}\n"),
            "[{\"a\":1},{\"a\":2}]\n1 row left out (line 2: not JSON that can be read).");
  const auto none = file_content("a,b\n1,2\n", FileFormat::Jsonl, {});
  EXPECT_EQ(none.error().code, ErrorCode::InvalidArgument);
}

TEST(FileContent, NamesOfColumnsHaveABoundWhereverTheyStand) {
  const auto large = file_content("\n" + std::string(300'000, 'x') + "\n1\n", FileFormat::Csv, {});
  ASSERT_FALSE(large);
  EXPECT_NE(large.error().message.find("262144"), std::string::npos) << large.error().message;
}

TEST(FileContent, WhatIsSaidIsOneLine) {
  EXPECT_EQ(csv("\"a\nb\",c\n"), "[]\nThere are no rows; the columns are a b, c.");
}

TEST(FileContent, ReplacesBrokenUtf8AndSaysSo) {
  EXPECT_EQ(lines("café\xE9\nok\n"),
            "{\"total_lines\":2,\"note\":\"What is not UTF-8 reads "
            "\uFFFD.\",\"lines\":[\"café\uFFFD\",\"ok\"]}");
  EXPECT_EQ(lines("café"), R"({"total_lines":1,"lines":["café"]})");
  EXPECT_EQ(lines("caf\xE9"), R"({"total_lines":1,"read_as":"Windows-1252","lines":["café"]})");
}

TEST(FileContent, CountsLinesHoweverTheTextEnds) {
  EXPECT_EQ(lines(""), R"({"total_lines":0,"lines":[]})");
  EXPECT_EQ(lines("\n"), R"({"total_lines":1,"lines":[""]})");
  EXPECT_EQ(lines("a\r\n\nb"), R"({"total_lines":3,"lines":["a","","b"]})");
}

TEST(FileContent, GivesTheItemsOfAJsonArray) {
  FileSelection selection;
  selection.offset = 1;
  selection.limit = 1;
  EXPECT_EQ(json(R"([1, {"z": "é", "a": [2]}, 3])", selection),
            "[{\"z\":\"é\",\"a\":[2]}]\n1 of 3 items, from offset 1 on.");
}

TEST(FileContent, GivesAnyOtherJsonAsItIs) {
  EXPECT_EQ(json(R"({ "b" : 1, "a" : null })"), R"({"b":1,"a":null})");
  EXPECT_EQ(json("\"text\""), "\"text\"");
}

TEST(FileContent, ReadsJsonInUtf16) {
  EXPECT_EQ(json({"\xFF\xFE[\0{\0\"\0a\0\"\0:\0"
                  "1\0}\0]\0",
                  20}),
            "[{\"a\":1}]\nread_as: UTF-16LE.");
}

TEST(FileContent, GivesEveryNumberAsItIsWritten) {
  constexpr const char* kNumbers =
      R"({"wei":123456789012345678901234567890,"id":18446744073709551617,"rate":1.10,"neg":-0.0,)"
      R"("zero":-0,"huge":1e400,"price":0.1234567890123456789})";
  EXPECT_EQ(json(kNumbers), kNumbers);
  EXPECT_EQ(json(R"([{"id": 123456789012345678901, "p": 1.10}])"),
            R"([{"id":123456789012345678901,"p":1.10}])");
  FileSelection selection;
  selection.json_path = "$[*].p";
  EXPECT_EQ(json(R"([{"p": 1.10}, {"p": 1e400}])", selection), R"([1.10,1e400])");
}

TEST(FileContent, GivesTheMembersOfALargeDocumentByRange) {
  std::string object = "{";
  for (int i = 0; i < 5000; ++i)
    object += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":" + std::to_string(i);
  object += "}";
  FileSelection selection;
  selection.row_limit = 2;
  EXPECT_EQ(json(object, selection),
            R"({"k0":0,"k1":1})"
            "\nOnly 2 of 5000 members, from offset 0 on. More are not read at once; go on with "
            "offset 2, or sample.");
  selection.offset = 4999;
  EXPECT_EQ(json(object, selection), R"({"k4999":4999})"
                                     "\n1 of 5000 members, from offset 4999 on.");
  FileSelection path;
  path.json_path = "$.k4321";
  EXPECT_EQ(json(object, path), "4321");
}

TEST(FileContent, SaysOfAPartThatIsTooLargeHowItIsRead) {
  FileSelection selection;
  selection.bytes_max = 400;
  const std::string document = "{\"small\":1,\"two words\":\"" + std::string(500, 'x') + "\"}";
  EXPECT_EQ(
      json(document, selection),
      R"({"small":1,)"
      R"("two words":{"not_shown":"a text, 502 bytes","json_path":"$['two words']"}})"
      "\n1 part too large for a result of 400 bytes is not shown. Read one with the json_path "
      "that stands there.");
  selection.json_path = "$['two words']";
  EXPECT_NE(json(document, selection).find(R"("total_lines":8,)"), std::string::npos)
      << json(document, selection);
}

TEST(FileContent, ShowsAnItemThatIsLargerThanAResultByItsParts) {
  FileSelection selection;
  selection.bytes_max = 1000;
  const std::string items = R"([{"id":7,"blob":")" + std::string(2000, 'x') + R"("},{"id":8}])";
  EXPECT_EQ(
      json(items, selection),
      R"([{"id":7,"blob":{"not_shown":"a text, 2002 bytes","json_path":"$[0].blob"}},)"
      R"({"id":8}])"
      "\n1 part too large for a result of 1000 bytes is not shown. Read one with the json_path "
      "that stands there.");
  selection.json_path = "$[*]";
  EXPECT_NE(json(items, selection).find("Name one item in json_path instead of *."),
            std::string::npos);
}

TEST(FileContent, ReachesWhatIsNestedDeeply) {
  const std::string deep = [] {
    std::string text, end;
    for (int i = 0; i < 200; ++i) {
      text += R"({"a":)";
      end += "}";
    }
    return text + "1.10" + end;
  }();
  const std::string shown = json(deep);
  const std::size_t at = shown.find(R"("json_path":")");
  ASSERT_NE(at, std::string::npos) << shown;
  FileSelection selection;
  selection.json_path = shown.substr(at + 13, shown.find('"', at + 13) - at - 13);
  EXPECT_NE(json(deep, selection).find("not_shown"), std::string::npos);
  selection.json_path = "$";
  for (int i = 0; i < 200; ++i) selection.json_path += ".a";
  EXPECT_EQ(json(deep, selection), "1.10");
}

TEST(FileContent, ReadsATableThatIsKeptByColumnAsRows) {
  EXPECT_EQ(json(R"({"m":{"0":1,"1":2},"n":{"0":"x","1":null}})"),
            R"([{"m":1,"n":"x"},{"m":2,"n":null}])"
            "\nread_as: a table kept by column and then by row, as rows.");
  for (const char* other : {R"({"m":{"0":1,"1":2},"n":{"0":"x"}})", R"({"m":{"1":1,"2":2}})",
                            R"({"2023":{"a":1,"b":2}})", R"({"m":{"0":1}})", "{}"})
    EXPECT_EQ(json(other), other);
  std::string column = "{\"0\":0";
  for (int i = 1; i < 5000; ++i) column += ",\"" + std::to_string(i) + "\":" + std::to_string(i);
  column += "}";
  FileSelection last;
  last.offset = 4999;
  EXPECT_EQ(
      json("{\"month\":" + column + ",\"day\":" + column + "}", last),
      R"([{"month":4999,"day":4999}])"
      "\n1 of 5000 rows, from offset 4999 on. read_as: a table kept by column and then by row, "
      "as rows.");
}

TEST(FileContent, WrapsLinesThatAreLongerThanAResult) {
  FileSelection selection;
  selection.bytes_max = 60;
  selection.offset = 2;
  EXPECT_EQ(lines("short\n" + std::string(25, 'x') + "\nlast", selection),
            R"({"total_lines":5,"offset":2,"read_as":"lines of more than 10 bytes wrapped",)"
            R"("lines":["xxxxxxxxxx","xxxxx","last"]})");
}

TEST(FileContent, ShowsACsvRowThatIsLargerThanAResult) {
  FileSelection selection;
  selection.bytes_max = 1000;
  EXPECT_EQ(csv("a,b\n1," + std::string(2000, 'x') + "\n2,y\n", selection),
            R"([{"a":1,"b":{"not_shown":"a text, 2002 bytes"}},{"a":2,"b":"y"}])"
            "\n1 part too large for a result of 1000 bytes is not shown. Read the file with format "
            "text, offset and limit.");
}

TEST(FileContent, RefusesWhatIsNotJson) {
  for (const std::string& text :
       {std::string("{"), std::string(), std::string("{} {}"), std::string(100000, '[')})
    EXPECT_EQ(file_content(text, FileFormat::Json, {}).error().code, ErrorCode::InvalidArgument);
}

TEST(FileContent, RefusesAFirstLineThatCanNameNoColumns) {
  const std::string names(256 * 1024, 'n');
  EXPECT_TRUE(file_content(names + "\n1\n", FileFormat::Csv, {}));
  const auto refused = file_content(names + "n", FileFormat::Csv, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("262145 bytes"), std::string::npos)
      << refused.error().message;
}

TEST(FileContent, CutsTheKeysOfADocumentThatIsTooLarge) {
  const std::string key(2'000'000, 'k');
  const auto text = file_content("{\"" + key + "\":1}", FileFormat::Json, {});
  ASSERT_TRUE(text);
  EXPECT_LT(text->data.size(), 1000u);
}

TEST(FileContent, RefusesWhatIsTooWide) {
  std::string header = "x";
  std::string object = "{\"k0\":0";
  for (int i = 1; i < 5000; ++i) {
    header += ",x";
    object += ",\"k" + std::to_string(i) + "\":0";
  }
  const auto table = file_content(header + "\n", FileFormat::Csv, {});
  ASSERT_FALSE(table);
  EXPECT_NE(table.error().message.find("5000 columns, at most 4096"), std::string::npos);
  EXPECT_TRUE(file_content(object + "}", FileFormat::Text, {}));
}

TEST(FileContent, GivesTheLinesOfAText) {
  EXPECT_EQ(lines("a\r\n\nb"), R"({"total_lines":3,"lines":["a","","b"]})");
  EXPECT_EQ(lines(""), R"({"total_lines":0,"lines":[]})");
}

TEST(FileFormat, FollowsFromTheEndOfTheName) {
  EXPECT_EQ(format_of("a/b.CSV"), FileFormat::Csv);
  EXPECT_EQ(format_of("b.json"), FileFormat::Json);
  EXPECT_EQ(format_of("b.jsonl"), FileFormat::Jsonl);
  EXPECT_EQ(format_of("b.NDJSON"), FileFormat::Jsonl);
  EXPECT_EQ(format_of("b.json.txt"), FileFormat::Text);
  EXPECT_EQ(format_of("json"), FileFormat::Text);
}

}  // namespace
}  // namespace ba::files
