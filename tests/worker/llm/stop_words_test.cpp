// SPDX-License-Identifier: Apache-2.0
// The words by which servers end a reply, row by row, and what each means over each protocol.
#include "worker/llm/stop_words.hpp"

#include <fstream>
#include <map>

#include "pipeline/base/lower_case.hpp"
#include "tests/worker/llm/openai_chat_fixture.hpp"
#include "tests/worker/llm/openai_responses_fixture.hpp"

namespace ba::llm {
namespace {

using Meaning = StopMeaning;

const std::vector<std::pair<std::string, Meaning>>& known_words() {
  static const std::vector<std::pair<std::string, Meaning>> rows = {
      {"stop", Meaning::Answered},
      {"STOP", Meaning::Answered},
      {"end_turn", Meaning::Answered},
      {"stop_sequence", Meaning::Answered},
      {"eos", Meaning::Answered},
      {"eos_token", Meaning::Answered},
      {"COMPLETE", Meaning::Answered},
      {"completed", Meaning::Answered},
      {"tool_calls", Meaning::Calls},
      {"tool_use", Meaning::Calls},
      {"TOOL_CALL", Meaning::Calls},
      {"function_call", Meaning::Calls},
      {"length", Meaning::Cut},
      {"max_tokens", Meaning::Cut},
      {"MAX_TOKENS", Meaning::Cut},
      {"max_output_tokens", Meaning::Cut},
      {"model_length", Meaning::Cut},
      {"model_context_window_exceeded", Meaning::ContextFull},
      {"refusal", Meaning::Refused},
      {"content_filter", Meaning::Refused},
      {"content_filtered", Meaning::Refused},
      {"guardrail_intervened", Meaning::Refused},
      {"sensitive", Meaning::Refused},
      {"SAFETY", Meaning::Refused},
      {"RECITATION", Meaning::Refused},
      {"BLOCKLIST", Meaning::Refused},
      {"PROHIBITED_CONTENT", Meaning::Refused},
      {"SPII", Meaning::Refused},
      {"pause_turn", Meaning::Paused},
      {"MALFORMED_FUNCTION_CALL", Meaning::Malformed},
      {"UNEXPECTED_TOOL_CALL", Meaning::Malformed},
      {"malformed_model_output", Meaning::Malformed},
      {"malformed_tool_use", Meaning::Malformed},
      {"error", Meaning::Failed},
      {"abort", Meaning::Failed},
      {"network_error", Meaning::Failed},
      {"insufficient_system_resource", Meaning::Failed}};
  return rows;
}

TEST(StopWords, EachHasOneMeaning) {
  for (const auto& [word, meaning] : known_words()) EXPECT_EQ(stop_meaning(word), meaning) << word;
  for (const char* word : {"", "max_time", "other", "stop ", "finished"})
    EXPECT_FALSE(stop_meaning(word)) << word;
}

/// Rows of the page's table: words in its first column, what they mean in its third.
std::map<std::string, std::string> words_of_the_page() {
  std::ifstream page("config/MODEL_SERVERS.md");
  std::map<std::string, std::string> words;
  std::string line;
  while (std::getline(page, line) && line != "## Why a reply ended") {
  }
  while (std::getline(page, line) && !line.starts_with("## ")) {
    if (!line.starts_with("| `")) continue;
    const std::size_t meaning = line.rfind('|', line.size() - 2) + 2;
    const std::string told = line.substr(meaning, line.size() - meaning - 2);
    for (std::size_t at = line.find('`'); at < line.find('|', 2); at = line.find('`', at + 1)) {
      const std::size_t end = line.find('`', at + 1);
      words[line.substr(at + 1, end - at - 1)] = told;
      at = end;
    }
  }
  return words;
}

TEST(StopWords, ThePageOnModelServersHasEachWithItsMeaning) {
  const std::map<Meaning, std::string> told = {{Meaning::Answered, "answered"},
                                               {Meaning::Calls, "calls"},
                                               {Meaning::Cut, "cut"},
                                               {Meaning::ContextFull, "context full"},
                                               {Meaning::Refused, "refused"},
                                               {Meaning::Paused, "paused"},
                                               {Meaning::Malformed, "malformed"},
                                               {Meaning::Failed, "failed"}};
  std::map<std::string, std::string> wanted;
  for (const auto& [word, meaning] : known_words()) wanted[lower_case(word)] = told.at(meaning);
  EXPECT_EQ(words_of_the_page(), wanted);
}

AiMessage said(const std::string& text) {
  AiMessage message;
  message.text = text;
  return message;
}

AiMessage asked(const std::string& arguments_error = "") {
  AiMessage message;
  message.tool_calls = {tool_call("c")};
  message.tool_calls[0].args_error = arguments_error;
  return message;
}

TEST(StopWords, OnlyAKnownGoodEndIsAnAnswer) {
  EXPECT_EQ(*stop_of("f", "stop", said("x")), StopReason::EndTurn);
  EXPECT_EQ(*stop_of("f", "", said("x")), StopReason::EndTurn);
  EXPECT_EQ(*stop_of("f", "length", said("x")), StopReason::MaxTokens);
  EXPECT_EQ(*stop_of("f", "SAFETY", said("x")), StopReason::Refusal);
  EXPECT_EQ(*stop_of("f", "pause_turn", said("x")), StopReason::Other);
  EXPECT_EQ(*stop_of("f", "model_context_window_exceeded", said("")), StopReason::ContextExceeded);
  EXPECT_EQ(*stop_of("f", "model_context_window_exceeded", said("x")), StopReason::MaxTokens);
  for (const char* word : {"max_time", "other", "MALFORMED_FUNCTION_CALL"}) {
    const auto stop = stop_of("finish_reason", word, said("x"));
    ASSERT_FALSE(stop) << word;
    EXPECT_EQ(stop.error().code, ErrorCode::Protocol) << word;
    EXPECT_NE(stop.error().message.find("finish_reason '" + std::string(word) + "'"),
              std::string::npos)
        << stop.error().message;
  }
  for (const char* word : {"error", "abort", "network_error", "insufficient_system_resource"}) {
    const auto stop = stop_of("finish_reason", word, said("x"));
    ASSERT_FALSE(stop) << word;
    EXPECT_EQ(stop.error().code, ErrorCode::Unavailable) << word;
    EXPECT_EQ(stop.error().retry, Retry::Later) << word;
    EXPECT_TRUE(stop.error().maybe_done) << word;
  }
}

TEST(StopWords, WholeCallsCountUnderEachWordThatDoesNotSayOtherwise) {
  for (const char* word : {"tool_calls", "stop", "end_turn", "", "pause_turn", "max_time"})
    EXPECT_EQ(*stop_of("f", word, asked()), StopReason::ToolUse) << word;
  EXPECT_EQ(*stop_of("f", "length", asked()), StopReason::MaxTokens);
  EXPECT_EQ(*stop_of("f", "model_context_window_exceeded", asked()), StopReason::MaxTokens);
  EXPECT_EQ(*stop_of("f", "content_filter", asked()), StopReason::Refusal);
  EXPECT_FALSE(stop_of("f", "error", asked()));
  EXPECT_FALSE(stop_of("f", "max_time", asked("not JSON")));
  EXPECT_EQ(stop_of("f", "tool_calls", said("x")).error().code, ErrorCode::Protocol);
}

/// Half a text that its server gave up, over each protocol.
TEST_F(OpenaiChatFixture, PublishesNoHalfText) {
  const std::string half = R"({"role":"assistant","content":"Revenue in March was 1"})";
  const std::string told =
      R"("error":{"code":502,"message":"Provider disconnected","metadata":{"provider_name":"p"}})";
  const auto whole = read(R"({"choices":[{"index":0,"finish_reason":"error","message":)" + half +
                          "," + told + R"(}],"usage":{"prompt_tokens":null,"total_tokens":0}})");
  const auto streamed =
      stream(chunk(R"({"content":"Revenue in March "})") +
             R"(data: {"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error",)" +
             told + "}]}\n\ndata: [DONE]\n\n");
  for (const auto* result : {&whole, &streamed}) {
    ASSERT_FALSE(*result);
    EXPECT_EQ(result->error().code, ErrorCode::Unavailable);
    EXPECT_TRUE(result->error().maybe_done);
    EXPECT_NE(result->error().message.find("Provider disconnected"), std::string::npos);
  }
  for (const char* word : {"error", "abort", "network_error"}) {
    EXPECT_EQ(read(completion(half, word)).error().code, ErrorCode::Unavailable) << word;
    EXPECT_EQ(stream(chunk(half, "\"" + std::string(word) + "\"")).error().code,
              ErrorCode::Unavailable)
        << word;
  }
  expect_malformed(read(completion(half, "max_time")), "max_time");
}

TEST_F(OpenaiResponsesFixture, PublishesNoHalfText) {
  expect_malformed(read(incomplete(message("Revenue in March was 1"), "max_time")), "max_time");
  expect_malformed(read(incomplete(message("x"), "stop")), "incomplete: 'stop'");
  EXPECT_EQ(read(incomplete(message("x"), "content_filter"))->reply.stop, StopReason::Refusal);
}

}  // namespace
}  // namespace ba::llm
