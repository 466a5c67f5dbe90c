// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/embedding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ba::vector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string answer(const std::string& embedding) {
  return R"({"object":"list","data":[{"index":0,"embedding":)" + embedding + "}]}";
}

std::vector<double> vector_of(const std::string& body, int dimensions) {
  const auto read = embedding_answer(body, dimensions);
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  return read ? *read : std::vector<double>();
}

std::string refused(const std::string& body, int dimensions = 2) {
  const auto read = embedding_answer(body, dimensions);
  if (read) return "no error";
  EXPECT_EQ(read.error().code, ErrorCode::Protocol);
  return read.error().message;
}

TEST(EmbeddingAnswer, IsTheFirstEmbedding) {
  EXPECT_THAT(vector_of(answer("[0.5,-1,2e-3]"), 3), ElementsAre(0.5, -1, 0.002));
  EXPECT_THAT(vector_of(R"({"data":[{"embedding":[1]},{"embedding":[2]}]})", 1), ElementsAre(1));
}

TEST(EmbeddingAnswer, MayBeInBase64) {
  EXPECT_THAT(vector_of(answer(R"("AAAAPwAAgL8=")"), 2), ElementsAre(0.5, -1));
  EXPECT_THAT(refused(answer(R"("AAAAPwAA")")), HasSubstr("no list of numbers"));
  EXPECT_THAT(refused(answer(R"("%")")), HasSubstr("no list of numbers"));
  EXPECT_THAT(refused(answer(R"("AADAfwAAgL8=")")), HasSubstr("isn't finite"));  // NaN
}

TEST(EmbeddingAnswer, HasAsManyNumbersAsConfigured) {
  EXPECT_EQ(refused(answer("[1,2,3]")), "has a vector of 3 dimensions where 2 are configured");
  EXPECT_EQ(refused(answer("[]")), "has a vector of 0 dimensions where 2 are configured");
}

TEST(EmbeddingAnswer, IsFiniteAndHasADirection) {
  EXPECT_THAT(refused(answer("[1,1e39]")), HasSubstr("isn't finite"));  // beyond four bytes
  EXPECT_THAT(refused(answer("[1,NaN]")), HasSubstr("is not JSON"));
  EXPECT_THAT(refused(answer("[0,-0.0]")), HasSubstr("a vector of zeros"));
  EXPECT_THAT(vector_of(answer("[0,1e-30]"), 2), ElementsAre(0, 1e-30));
}

TEST(EmbeddingAnswer, AnotherShapeIsRefused) {
  for (const char* body : {"", "<html>", "{", "{\"data\":[}"})
    EXPECT_THAT(refused(body), HasSubstr("is not JSON")) << body;
  for (const char* body :
       {"{}", "[]", "7", R"({"data":[]})", R"({"data":[{}]})", R"({"data":{"embedding":[1,2]}})"})
    EXPECT_THAT(refused(body), HasSubstr("has no data[0].embedding")) << body;
  for (const char* embedding : {"null", "7", "{}", "[1,null]", "[1,\"2\"]", "[[1,2]]"})
    EXPECT_THAT(refused(answer(embedding)), HasSubstr("no list of numbers")) << embedding;
  EXPECT_THAT(refused(std::string(100'000, '[')), HasSubstr("64 levels"));
}

}  // namespace
}  // namespace ba::vector
