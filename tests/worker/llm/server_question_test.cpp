// SPDX-License-Identifier: Apache-2.0
// A provider's own count of tokens, over real sockets.
#include "worker/llm/server_question.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/asio_loop.hpp"
#include "tests/support/http_stub.hpp"
#include "worker/llm/anthropic/anthropic_protocol.hpp"
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"
#include "worker/llm/openai_responses/openai_responses_protocol.hpp"

namespace ba::llm {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ProviderCount : public ::testing::Test {
 protected:
  ProviderCount() {
    provider_.name = "p";
    provider_.protocol = &anthropic_protocol();
    provider_.base_url = stub_.url();
    provider_.api_key = Secret("key-1");
    stub_.on_request = [this](HttpStubConnection& connection, const HttpStub::Request&) {
      connection.answer(status_, answer_);
    };
  }

  Result<std::int64_t> count(const std::string& text) {
    auto counted = loop_.serve_while([&] {
      return counted_by_provider(provider_, api(), "claude-x", text, Milliseconds(10'000));
    });
    EXPECT_TRUE(counted);
    return *counted;
  }

  CountApi api() {
    ModelConfig model;
    model.model_id = "claude-x";
    return count_api(provider_, model, named_).value();
  }

  AsioLoop loop_;
  HttpStub stub_{loop_.io};
  ProviderConfig provider_;
  std::string named_;
  int status_ = 200;
  std::string answer_ = R"({"input_tokens":14})";
};

TEST_F(ProviderCount, AsksAnthropicsEndpoint) {
  EXPECT_EQ(count("say \"hi\"").value(), 14);
  const HttpStub::Request& asked = stub_.requests.at(0);
  EXPECT_THAT(asked.head, StartsWith("POST /v1/messages/count_tokens "));
  EXPECT_THAT(asked.head, HasSubstr("authorization: Bearer key-1"));
  EXPECT_EQ(asked.body,
            R"({"model":"claude-x","messages":[{"role":"user","content":"say \"hi\""}]})");
}

TEST_F(ProviderCount, AsksNothingAboutAnEmptyText) {
  EXPECT_EQ(count("").value(), 0);
  EXPECT_TRUE(stub_.requests.empty());
}

TEST_F(ProviderCount, SaysWhyThereIsNoCount) {
  for (const char* answer : {"{}", "[", R"({"input_tokens":-1})", R"({"input_tokens":"14"})"}) {
    answer_ = answer;
    EXPECT_EQ(count("a").error().code, ErrorCode::Protocol) << answer;
  }
  status_ = 401;
  const Error refused = count("a").error();
  EXPECT_EQ(refused.code, ErrorCode::Authentication);
  EXPECT_THAT(refused.message, Not(HasSubstr("key-1")));
}

TEST_F(ProviderCount, AsksOpenaiAndGeminiInTheirWays) {
  provider_.protocol = &openai_responses_protocol();
  EXPECT_EQ(count("hi").value(), 14);
  EXPECT_THAT(stub_.requests.at(0).head, StartsWith("POST /v1/responses/input_tokens "));
  EXPECT_EQ(stub_.requests.at(0).body, R"({"model":"claude-x","input":"hi"})");
  provider_.protocol = &openai_chat_protocol();
  named_ = "gemini";
  answer_ = R"({"totalTokens":31})";
  EXPECT_EQ(count("hi").value(), 31);
  EXPECT_THAT(stub_.requests.at(1).head, StartsWith("POST /v1/models/claude-x:countTokens "));
  EXPECT_THAT(stub_.requests.at(1).head, HasSubstr("x-goog-api-key: key-1"));
}

TEST_F(ProviderCount, AsksAUrlWithoutTheProvidersKeyWhereItIsAnothersServer) {
  named_ = stub_.url() + "/tokenize";
  provider_.protocol = &openai_chat_protocol();
  provider_.base_url = "http://127.0.0.1:1/v1";
  answer_ = R"({"count":3,"tokens":[1,2,3]})";
  EXPECT_EQ(count("hi").value(), 3);
  EXPECT_THAT(stub_.requests.at(0).head, StartsWith("POST /tokenize "));
  EXPECT_THAT(stub_.requests.at(0).head, Not(HasSubstr("key-1")));
}

}  // namespace
}  // namespace ba::llm
