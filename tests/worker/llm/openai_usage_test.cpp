// SPDX-License-Identifier: Apache-2.0
// What each server reports of the tokens of a reply, row by row.
#include "worker/llm/reply_checks.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ba::llm {
namespace {

TEST(OpenaiUsage, IsReadInEachDialect) {
  struct Row {
    const char* who;
    std::string report;
    Usage usage;  ///< input, read, written, output, thinking
  };
  const std::vector<Row> rows = {
      {"OpenAI",
       R"({"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":60},"completion_tokens_details":{"reasoning_tokens":8}})",
       {40, 60, 0, 20, 8}},
      {"Responses",
       R"({"input_tokens":100,"output_tokens":20,"total_tokens":120,"input_tokens_details":{"cached_tokens":60,"cache_write_tokens":10},"output_tokens_details":{"reasoning_tokens":8}})",
       {30, 60, 10, 20, 8}},
      {"DeepSeek",
       R"({"prompt_tokens":100000,"completion_tokens":100,"total_tokens":100100,"prompt_cache_hit_tokens":90000,"prompt_cache_miss_tokens":10000})",
       {10'000, 90'000, 0, 100, 0}},
      {"Moonshot",
       R"({"prompt_tokens":100000,"completion_tokens":100,"total_tokens":100100,"cached_tokens":90000})",
       {10'000, 90'000, 0, 100, 0}},
      {"both, one of them empty",
       R"({"prompt_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":0},"cached_tokens":4})",
       {6, 4, 0, 1, 0}},
      {"Gemini: thinking in the total alone",
       R"({"prompt_tokens":10,"completion_tokens":5,"total_tokens":115})",
       {10, 0, 0, 105, 0}},
      {"xAI: thinking beside the output",
       R"({"prompt_tokens":10,"completion_tokens":5,"total_tokens":115,"completion_tokens_details":{"reasoning_tokens":100}})",
       {10, 0, 0, 105, 100}},
      {"cached beside the input",
       R"({"prompt_tokens":10,"completion_tokens":5,"total_tokens":105,"cache_read_input_tokens":70,"cache_creation_input_tokens":20})",
       {10, 70, 20, 5, 0}},
      {"no output yet", R"({"prompt_tokens":10,"total_tokens":10})", {10, 0, 0, 0, 0}},
      {"more cached than there is",
       R"({"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":70}})",
       {0, 10, 0, 5, 0}}};
  for (const Row& row : rows) {
    Usage usage;
    EXPECT_TRUE(read_openai_usage(*JsonView::parse(row.report), usage)) << row.who;
    EXPECT_EQ(usage, row.usage) << row.who << ": " << usage.input_tokens << " "
                                << usage.cache_read_tokens << " " << usage.cache_write_tokens << " "
                                << usage.output_tokens << " " << usage.thinking_tokens;
  }
}

TEST(OpenaiUsage, ALaterZeroNeverWins) {
  Usage usage;
  for (const char* report : {R"({"prompt_tokens":10,"completion_tokens":5})",
                             R"({"prompt_tokens":0,"completion_tokens":7})",
                             R"({"prompt_tokens":0,"completion_tokens":0,"total_tokens":0})"})
    EXPECT_TRUE(read_openai_usage(*JsonView::parse(report), usage));
  EXPECT_EQ(usage, (Usage{10, 0, 0, 7, 0}));
  Usage cached;
  for (
      const char* report :
      {R"({"prompt_tokens":100,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":90}})",
       R"({"prompt_tokens":100,"completion_tokens":10})"})
    EXPECT_TRUE(read_openai_usage(*JsonView::parse(report), cached));
  EXPECT_EQ(cached, (Usage{10, 90, 0, 10, 0})) << "a report without details leaves them";
  for (const char* none : {"null", "{}", R"({"prompt_tokens":null,"completion_tokens":null})",
                           R"({"prompt_tokens":-1,"completion_tokens":1})"})
    EXPECT_FALSE(read_openai_usage(*JsonView::parse(none), usage)) << none;
  EXPECT_EQ(usage, (Usage{10, 0, 0, 7, 0}));
}

}  // namespace
}  // namespace ba::llm
