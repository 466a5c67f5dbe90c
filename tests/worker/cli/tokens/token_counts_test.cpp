// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/tokens/token_counts.hpp"

#include <gtest/gtest.h>

namespace ba::cli {
namespace {

class TokenLines : public testing::Test {
 protected:
  std::string answer(std::string_view line) {
    return answer_token_line(token_count(arguments, TokenProfiles()).value(), line).text;
  }

  void SetUp() override { arguments.encoding = "o200k_base"; }

  TokensCountArguments arguments;
};

TEST_F(TokenLines, AnswerEachWithItsId) {
  EXPECT_EQ(answer(R"({"id":7,"text":"hello world"})"), R"({"id":7,"count":2})");
  EXPECT_EQ(answer(R"({"text":"","id":"a\n"})"), R"({"id":"a\n","count":0})");
  EXPECT_EQ(answer(R"({"text":"<|endoftext|>"})"), R"({"id":null,"count":7})");
  EXPECT_EQ(answer(R"({"id":12345678901234567890123,"text":""})"),
            R"({"id":12345678901234567890123,"count":0})");
}

TEST_F(TokenLines, SayWhatIsWrong) {
  EXPECT_EQ(answer("nonsense"), R"({"id":null,"error":"the line is not JSON"})");
  EXPECT_EQ(answer("[1]"), R"({"id":null,"error":"a line must be an object with \"id\""})");
  EXPECT_EQ(answer(R"({"id":1})"), R"({"id":1,"error":"\"text\" is missing"})");
  EXPECT_EQ(answer(R"({"id":1,"text":5})"), R"({"id":1,"error":"\"text\" must be a string"})");
}

TEST_F(TokenLines, NestedBeyondTheLimitAreRefused) {
  const std::string deep(200'000, '[');
  EXPECT_EQ(
      answer(R"({"id":1,"text":"x","other":)" + deep + std::string(deep.size(), ']') + "}"),
      R"({"id":null,"error":"the line must have at most 64 levels and 4096 members an object"})");
}

TEST_F(TokenLines, AHalfOfAPairCountsAsAReplacementCharacter) {
  const std::string one = answer(R"({"id":1,"text":"a\ufffdb"})");
  EXPECT_EQ(answer(R"({"id":1,"text":"a\ud83db"})"), one);
  EXPECT_EQ(answer(R"({"id":1,"text":"a\uDE42b"})"), one);
  EXPECT_EQ(answer("{\"id\":1,\"text\":\"a\xff"
                   "b\"}"),
            one);
  EXPECT_EQ(answer(R"({"id":1,"text":"\ud83d\ude42"})"),
            answer("{\"id\":1,\"text\":\"\U0001f642\"}"));
  EXPECT_EQ(answer(R"({"id":1,"text":"\\ud83d"})"), answer(R"({"id":1,"text":"\u005cud83d"})"));
  EXPECT_EQ(answer(R"({"id":1,"text":"\ud83d\ud83d\ude42"})"),
            answer("{\"id\":1,\"text\":\"\ufffd\U0001f642\"}"));
}

TEST_F(TokenLines, CountAsTheModelIsCounted) {
  const char* line =
      R"({"id":1,"text":"Why did March revenue fall in the north, and by how much?"})";
  EXPECT_EQ(answer(line), R"({"id":1,"count":14})");
  arguments.model = "claude-sonnet-5";
  EXPECT_EQ(answer(line), R"({"id":1,"count":14})");
  arguments.margin = true;
  EXPECT_EQ(answer(line), R"({"id":1,"count":16})");  // 16.1
  arguments.margin = false;
  arguments.estimate = true;
  EXPECT_EQ(answer(line), R"({"id":1,"count":14})");  // 57 characters by 4
}

}  // namespace
}  // namespace ba::cli
