// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/file_content.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

constexpr const char* kCsv = "n,name\n1,one\n2,two\n3,three\n4,four\n";

std::string csv(const std::string& text, const FileSelection& selection = {}) {
  return file_content(text, FileFormat::Csv, selection).value();
}
std::string json(const std::string& text, const FileSelection& selection = {}) {
  return file_content(text, FileFormat::Json, selection).value();
}
std::string lines(const std::string& text, const FileSelection& selection = {}) {
  return file_content(text, FileFormat::Text, selection).value();
}

TEST(FileContent, GivesRowsAsObjectsAndPlainNumbersAsNumbers) {
  EXPECT_EQ(csv("a,b,c,d,e,f\n1,-2.5,007,1e5,NA,\n"),
            R"({"total_rows":1,"rows":[{"a":1,"b":-2.5,"c":"007","d":"1e5","e":"NA","f":""}]})");
  EXPECT_EQ(csv("a,b\n12345678901234567890123,1.50\n"),
            R"({"total_rows":1,"rows":[{"a":"12345678901234567890123","b":"1.50"}]})");
}

TEST(FileContent, ReadsARange) {
  FileSelection selection;
  selection.offset = 1;
  selection.limit = 2;
  EXPECT_EQ(csv(kCsv, selection), R"({"total_rows":4,"offset":1,"rows":[{"n":2,"name":"two"},)"
                                  R"({"n":3,"name":"three"}]})");
  selection.offset = 9;
  EXPECT_EQ(csv("n\n1\n", selection), R"({"total_rows":1,"offset":9,"rows":[]})");
}

TEST(FileContent, TakesTheSameEvenSampleEachTime) {
  FileSelection selection;
  selection.sample = 2;
  const std::string expected =
      R"({"total_rows":4,"sampled":true,"rows":[{"n":1,"name":"one"},{"n":3,"name":"three"}]})";
  EXPECT_EQ(csv(kCsv, selection), expected);
  EXPECT_EQ(csv(kCsv, selection), expected);
  selection.sample = 100;
  EXPECT_NE(csv(kCsv, selection).find(R"({"n":4,"name":"four"}]})"), std::string::npos);
}

TEST(FileContent, SaysWhenALimitCutIt) {
  FileSelection selection;
  selection.row_limit = 1;
  EXPECT_EQ(csv(kCsv, selection),
            R"({"total_rows":4,"truncated":true,"note":"Only 1 of 4 rows. Use offset and limit )"
            R"(for the rest, or sample.","rows":[{"n":1,"name":"one"}]})");
  selection.row_limit = 1000;
  selection.bytes_max = 40;
  EXPECT_NE(csv(kCsv, selection).find("Only 2 of 4 rows"), std::string::npos);
}

TEST(FileContent, NamesBadRows) {
  EXPECT_EQ(csv("a,b\n1,2,3\n1,2\n"),
            R"({"total_rows":1,"bad_rows":{"count":1,"first":[{"line":2,"problem":)"
            R"("3 fields instead of 2"}]},"rows":[{"a":1,"b":2}]})");
}

TEST(FileContent, GivesNullForTheCellsThatAShortRowLacks) {
  EXPECT_EQ(csv("a,b\n1\n1,2\n"), R"({"total_rows":2,"short_rows":{"count":1,"first_lines":[2]},)"
                                  R"("rows":[{"a":1,"b":null},{"a":1,"b":2}]})");
}

TEST(FileContent, SaysWhatItTookTheFileFor) {
  EXPECT_EQ(csv("a;b\n\n1;K\xF6ln\n"),
            R"({"total_rows":1,"read_as":"Windows-1252, separated by ;, 1 blank line left out",)"
            R"("rows":[{"a":1,"b":"Köln"}]})");
  EXPECT_EQ(
      csv({"\xFF\xFEi\0d\0\t\0n\0\n\0"
           "1\0\t\0\xE4\0\n\0",
           20}),
      R"({"total_rows":1,"read_as":"UTF-16LE, separated by tabs","rows":[{"id":1,"n":"ä"}]})");
}

TEST(FileContent, NamesTheColumnsOfATableWithoutRows) {
  EXPECT_EQ(csv("a,b\n"), R"({"total_rows":0,"columns":["a","b"],"rows":[]})");
}

TEST(FileContent, ReplacesBrokenUtf8AndSaysSo) {
  EXPECT_EQ(lines("café\xE9\nok\n"),
            "{\"total_lines\":2,\"invalid_utf8\":true,\"lines\":[\"café\uFFFD\",\"ok\"]}");
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
            R"({"total_items":3,"offset":1,"items":[{"z":"é","a":[2]}]})");
}

TEST(FileContent, GivesAnyOtherJsonAsItIs) {
  EXPECT_EQ(json(R"({ "b" : 1, "a" : null })"), R"({"b":1,"a":null})");
  EXPECT_EQ(json("\"text\""), "\"text\"");
}

TEST(FileContent, ReadsJsonInUtf16) {
  EXPECT_EQ(json({"\xFF\xFE[\0{\0\"\0a\0\"\0:\0"
                  "1\0}\0]\0",
                  20}),
            R"({"total_items":1,"read_as":"UTF-16LE","items":[{"a":1}]})");
}

TEST(FileContent, DoesNotGiveAJsonDocumentThatIsTooLarge) {
  FileSelection selection;
  selection.bytes_max = 10;
  EXPECT_EQ(
      json(R"({"first": "0123456789", "second": 2})", selection),
      R"({"truncated":true,"note":"The document has 33 bytes, more than are read at once. )"
      R"(Read parts of it with json_path, or lines with format text, offset and limit.","keys":["first","second"]})");
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
  EXPECT_LT(text->size(), 1000u);
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
  const auto document = file_content(object + "}", FileFormat::Json, {});
  ASSERT_FALSE(document);
  EXPECT_NE(document.error().message.find("4096 members an object"), std::string::npos);
  EXPECT_TRUE(file_content(object + "}", FileFormat::Text, {}));
}

TEST(FileContent, GivesTheLinesOfAText) {
  EXPECT_EQ(lines("a\r\n\nb"), R"({"total_lines":3,"lines":["a","","b"]})");
  EXPECT_EQ(lines(""), R"({"total_lines":0,"lines":[]})");
}

TEST(FileFormat, FollowsFromTheEndOfTheName) {
  EXPECT_EQ(format_of("a/b.CSV"), FileFormat::Csv);
  EXPECT_EQ(format_of("b.json"), FileFormat::Json);
  EXPECT_EQ(format_of("b.json.txt"), FileFormat::Text);
  EXPECT_EQ(format_of("json"), FileFormat::Text);
}

}  // namespace
}  // namespace ba
