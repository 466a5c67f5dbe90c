// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/artifact_file.hpp"

#include <gtest/gtest.h>

namespace ba::files {
namespace {

std::string csv(std::string_view data) {
  const ArtifactFile file = artifact_file(data, true, 1000);
  return file.form == ArtifactForm::Csv ? file.content : "no CSV: " + file.content;
}

TEST(ArtifactFile, RowsAreCsvWithAHeader) {
  EXPECT_EQ(csv(R"([{"carrier":"UA","n":1},{"carrier":"AA","n":2}])"),
            "carrier,n\r\nUA,1\r\nAA,2\r\n");
}

TEST(ArtifactFile, FieldsThatSeparateAreQuoted) {
  EXPECT_EQ(csv(R"([{"a,b":"x \"y\"","c":"1\n2","d":" z"}])"),
            "\"a,b\",c,d\r\n\"x \"\"y\"\"\",\"1\n2\",\" z\"\r\n");
}

TEST(ArtifactFile, ATextThatASpreadsheetWouldComputeHasAnApostropheInFront) {
  const auto cell = [](const std::string& json) {
    const ArtifactFile file =
        artifact_file("[{\"a\":" + json + ",\"b\":0}]", true, 1000, FormulaCells::Text);
    return file.content.substr(5, file.content.size() - 9) +
           (file.made_text > 0 ? " (made text)" : "");
  };
  EXPECT_EQ(cell(R"("=1+2")"), "'=1+2 (made text)");
  EXPECT_EQ(cell(R"j("=HYPERLINK(\"http://h\",1)")j"),
            "\"'=HYPERLINK(\"\"http://h\"\",1)\" (made text)");
  EXPECT_EQ(cell(R"("+49 30 123")"), "'+49 30 123 (made text)");
  EXPECT_EQ(cell(R"("-2+3")"), "'-2+3 (made text)");
  EXPECT_EQ(cell(R"("-")"), "'- (made text)");
  EXPECT_EQ(cell(R"j("@SUM(A1)")j"), "'@SUM(A1) (made text)");
  EXPECT_EQ(cell(R"("\t=1")"), "'\t'=1 (made text)");
  EXPECT_EQ(cell(R"("\r=1")"), "\"'\r=1\" (made text)");
  EXPECT_EQ(cell(R"("\uff1d1")"), "'＝1 (made text)");
  for (const char* same : {"-12.50", "-0", "1e-7", "true"}) EXPECT_EQ(cell(same), same);
  for (const char* text : {"-12.50", "+1.5E+3", "-.5", "-Infinity", "a=b", "1-2", "'=1", "", "(1)"})
    EXPECT_EQ(cell('"' + std::string(text) + '"'), text) << "no formula, or a number as text";
}

TEST(ArtifactFile, SoItIsBehindWhatASpreadsheetMayTakeForTheEndOfACell) {
  const auto cell = [](const std::string& text) {
    const std::string file =
        artifact_file("[{\"a\":\"" + text + "\"}]", true, 1000, FormulaCells::Text).content;
    return file.substr(3, file.size() - 5);
  };
  EXPECT_EQ(cell("x;=cmd"), "x;'=cmd");
  EXPECT_EQ(cell(";=cmd;-5;y"), ";'=cmd;-5;y");
  EXPECT_EQ(cell("x\\t@SUM(A1)"), "x\t'@SUM(A1)");
  EXPECT_EQ(cell("a;b"), "a;b");
}

TEST(ArtifactFile, SoItIsWithTheNameOfAColumn) {
  const ArtifactFile file = artifact_file(R"([{"=a":1}])", true, 1000, FormulaCells::Text);
  EXPECT_EQ(file.content, "'=a\r\n1\r\n");
  EXPECT_EQ(file.made_text, 1U);
  EXPECT_EQ(csv(R"([{"=a":"=1"}])"), "=a\r\n=1\r\n") << "kept where that is asked for";
}

TEST(ArtifactFile, ColumnsAreThoseOfAllRowsInTheOrderInWhichTheyCome) {
  EXPECT_EQ(csv(R"([{"b":1},{"a":null,"b":2},{"c":true}])"), "b,a,c\r\n1,,\r\n2,,\r\n,,true\r\n");
}

TEST(ArtifactFile, ValuesKeepTheirSpelling) {
  EXPECT_EQ(csv(R"([{"n":12345678901234567890.10,"k\u00e9":[1.50, {"a":2}]}])"),
            "n,k\u00e9\r\n12345678901234567890.10,\"[1.50, {\"\"a\"\":2}]\"\r\n");
}

TEST(ArtifactFile, RowsThatShareNoFieldsAreNotMadeToTheirEnd) {
  std::string rows = "[";
  for (int i = 0; i < 20'000; ++i) rows += (i > 0 ? ",{\"a" : "{\"a") + std::to_string(i) + "\":1}";
  const ArtifactFile file = artifact_file(rows + "]", true, 200'000);
  EXPECT_TRUE(file.cut);
  EXPECT_LT(file.content.size(), 300'000U) << "20,000 rows of 20,000 columns have 400 MB";
}

TEST(ArtifactFile, AnEmptyCellAloneIsNoBlankLine) {
  EXPECT_EQ(csv(R"([{"a":1},{"a":null},{"a":""}])"), "a\r\n1\r\n\"\"\r\n\"\"\r\n");
}

TEST(ArtifactFile, WhatIsNoRowsIsJson) {
  EXPECT_EQ(csv("[1,2]"), "no CSV: [1,2]\n");
  EXPECT_EQ(csv("[]"), "no CSV: []\n");
  EXPECT_EQ(csv(R"({"rows":[]})"), "no CSV: {\"rows\":[]}\n");
  EXPECT_EQ(csv(R"([{"a":1},2])"), "no CSV: [{\"a\":1},2]\n");
}

TEST(ArtifactFile, WithoutAWishForCsvRowsAreJsonAndATextIsAText) {
  const ArtifactFile rows = artifact_file(R"([{"n":1.10}])", false, 0);
  EXPECT_EQ(rows.form, ArtifactForm::Json);
  EXPECT_EQ(rows.content, "[{\"n\":1.10}]\n");
  const ArtifactFile text = artifact_file(R"("a\n\"b\"")", true, 1000);
  EXPECT_EQ(text.form, ArtifactForm::Text);
  EXPECT_EQ(text.content, "a\n\"b\"");
}

}  // namespace
}  // namespace ba::files
