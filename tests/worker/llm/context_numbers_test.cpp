// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/failure_body.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ba::llm {
namespace {

struct Case {
  const char* message;
  ContextRefusal told;
};

/// As the servers write it.
const Case kCases[] = {
    {"This model's maximum context length is 8192 tokens. However, you requested 10000 tokens "
     "(6000 "
     "in the messages, 4000 in the completion). Please reduce the length of the messages or "
     "completion.",
     {8192, 6000, false}},
    {"This model's maximum context length is 8192 tokens. However, you requested 10000 tokens.",
     {8192, 10000, true}},
    {"This model's maximum context length is 16385 tokens. However, your messages resulted in "
     "20000 "
     "tokens (19000 in the messages, 1000 in the functions).",
     {16385, 20000, false}},
    {"prompt is too long: 210000 tokens > 200000 maximum", {200000, 210000, false}},
    {"input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input "
     "length or `max_tokens` and try again",
     {200000, 188240, false}},
    {"'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context "
     "length is 4096 tokens and your request has 904 input tokens (4096 > 4096 - 904).",
     {4096, 904, false}},
    {"You passed 40961 input tokens and requested 1 output tokens. However, the model's context "
     "length is only 40960 tokens, resulting in a maximum input length of 40959 tokens.",
     {40960, 40961, false}},
    {"The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
     {4096, 5000, false}},
    {"The input (5000 tokens) is longer than the model's context length (4096 tokens).",
     {4096, 5000, false}},
    {"Requested token count exceeds the model's maximum context length of 4096 tokens. You "
     "requested "
     "a total of 5000 tokens: 3000 tokens from the input messages and 2000 tokens for the "
     "completion.",
     {4096, 3000, false}},
    {"request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
     {4096, 5000, false}},
    {"The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).",
     {1048576, 1100000, false}},
    {"The input token count is 40000 but the model only supports up to 32768",
     {32768, 40000, false}},
    {"Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
     {32768, 40000, false}},
    {"This model's maximum prompt length is 131072 but the request contains 150000 tokens.",
     {131072, 150000, false}},
    {"This endpoint's maximum context length is 131072 tokens. However, you requested about 150000 "
     "tokens (140000 of text input, 4000 of tool input, 6000 in the output).",
     {131072, 144000, false}},
    {"`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3000 `inputs` tokens and 2000 "
     "`max_new_tokens`",
     {4096, 3000, false}},
    {"`inputs` must have less than 4095 tokens. Given: 5000", {4095, 5000, false}},
    {"too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292.",
     {4081, 4292, false}},
    {"prompt token count of 140000 exceeds the limit of 128000", {128000, 140000, false}},
    {"Range of input length should be [1, 30720]", {30720, std::nullopt, false}},
    {"Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)",
     {262144, 300000, true}},
    {"Trying to keep the first 5000 tokens when context the overflows. However, the model is "
     "loaded "
     "with context length of only 4096 tokens, which is not enough.",
     {4096, 5000, false}},
    {"Request too large for model `llama-3.1-8b-instant` on tokens per minute (TPM): Limit 6000, "
     "Requested 7000, please reduce your message size and try again.",
     {6000, 7000, true}},
    {"PROMPT IS TOO LONG: 1,210,000 tokens > 1,000,000 maximum", {1000000, 1210000, false}},
    {"the prompt exceeds the model's context window of 128k tokens", {128000, std::nullopt, false}},
};

TEST(ContextNumbers, AreReadAsTheServersWriteThem) {
  for (const Case& one : kCases) {
    const ContextRefusal told = context_numbers(one.message);
    EXPECT_EQ(told.limit, one.told.limit) << one.message;
    EXPECT_EQ(told.counted, one.told.counted) << one.message;
    EXPECT_EQ(told.counted_output, one.told.counted_output) << one.message;
  }
}

TEST(ContextNumbers, AreReadBehindAGatewaysWords) {
  for (const Case& one : kCases) {
    const std::string message =
        std::string("litellm.BadRequestError: code 400, gpt-4-32768, v1.5: ") + one.message;
    EXPECT_EQ(context_numbers(message).limit, one.told.limit) << message;
  }
}

TEST(ContextNumbers, SayNothingWhereNothingIsTold) {
  for (const char* message :
       {"", "Input is too long for requested model.", "model gpt-4-32768 is full", "error 400",
        "maximum context length is unknown", "the context window of llama3 was exceeded",
        "maximum context length is 99999999999999999999 tokens"})
    EXPECT_EQ(context_numbers(message), ContextRefusal{}) << message;
}

TEST(ContextNumbers, AnyTextIsTaken) {
  EXPECT_EQ(context_numbers(std::string(100'000, '9')), ContextRefusal{});
  EXPECT_EQ(context_numbers(std::string("\xff\x00 12,34, 5_6 >", 18)), ContextRefusal{});
  std::string many;
  for (int i = 0; i < 5'000; ++i) many += std::to_string(i) + " > ";
  EXPECT_TRUE(context_numbers(many).limit);
}

}  // namespace
}  // namespace ba::llm
