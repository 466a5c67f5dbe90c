// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/encode/document_codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ba::cli {
namespace {

using ::testing::HasSubstr;

EncodeArguments as(DataEncoding format, bool decode = false) {
  EncodeArguments arguments;
  arguments.format = format;
  arguments.decode = decode;
  return arguments;
}

TEST(DocumentCodec, ReadsBackWhatItWrote) {
  const std::string json = R"({"z":[1,1.5,"1",null,{"é":""}],"a":-9223372036854775808})";
  for (const DataEncoding format : {DataEncoding::Compact, DataEncoding::Yaml, DataEncoding::Xml}) {
    const auto text = convert_document(as(format), json);
    ASSERT_TRUE(text);
    EXPECT_EQ(convert_document(as(format, true), *text).value(), json) << *text;
  }
}

TEST(DocumentCodec, AnswersALineWithItsId) {
  const EncodeArguments encode = as(DataEncoding::Compact);
  EXPECT_EQ(answer_line(encode, R"({"id":7,"value":{"a":[1,2]}})").text,
            R"({"id":7,"text":"a[2]: 1,2"})");
  EXPECT_EQ(answer_line(as(DataEncoding::Compact, true), R"({"text":"a: é","id":"x"})").text,
            R"({"id":"x","value":{"a":"é"}})");
  EXPECT_EQ(answer_line(encode, R"({"id":12345678901234567890123,"value":1})").text,
            R"({"id":12345678901234567890123,"text":"1"})");
}

TEST(DocumentCodec, AnswersABadLineWithAnError) {
  const EncodeArguments encode = as(DataEncoding::Compact);
  const LineAnswer broken = answer_line(encode, "{");
  EXPECT_FALSE(broken.good);
  EXPECT_THAT(broken.text, HasSubstr(R"({"id":null,"error":"not JSON)"));
  EXPECT_EQ(answer_line(encode, "[]").text,
            R"({"id":null,"error":"a line must be an object with \"id\""})");
  EXPECT_EQ(answer_line(encode, R"({"id":1})").text, R"({"id":1,"error":"\"value\" is missing"})");
  const EncodeArguments decode = as(DataEncoding::Compact, true);
  EXPECT_EQ(answer_line(decode, R"({"id":1,"text":2})").text,
            R"({"id":1,"error":"\"text\" must be a string"})");
  EXPECT_THAT(answer_line(decode, R"({"id":1,"text":"a[2]: 1"})").text,
              HasSubstr(R"({"id":1,"error":"line 1: the header declares 2 values)"));
}

TEST(DocumentCodec, ALinesValueMayBeAsDeepAsADocument) {
  const std::string deep = std::string(64, '[') + std::string(64, ']');
  EXPECT_TRUE(answer_line(as(DataEncoding::Compact), "{\"id\":1,\"value\":" + deep + "}").good);
  EXPECT_FALSE(answer_line(as(DataEncoding::Compact), "{\"id\":1,\"value\":[" + deep + "]}").good);
}

TEST(DocumentCodec, RefusesOptionsWithoutMeaning) {
  EncodeArguments arguments = as(DataEncoding::Xml);
  EXPECT_EQ(problem_of(arguments), std::nullopt);
  arguments.indent = 4;
  EXPECT_NE(problem_of(arguments), std::nullopt);
  arguments = as(DataEncoding::Compact);
  arguments.lenient = true;
  EXPECT_NE(problem_of(arguments), std::nullopt);
}

}  // namespace
}  // namespace ba::cli
