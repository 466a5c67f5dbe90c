// SPDX-License-Identifier: Apache-2.0
// A job's user_id is for the ledger and the results: no provider gets it.
#include "tests/worker/llm/protocol_fixture.hpp"
#include "worker/llm/anthropic/anthropic_protocol.hpp"
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"
#include "worker/llm/openai_responses/openai_responses_protocol.hpp"
#include "worker/llm/protocol.hpp"

namespace ba::llm {
namespace {

constexpr const char* kUser = "user-4711";

template <typename M>
M of_user(const char* message_id, M message) {
  message.meta.message_id = MessageId(message_id);
  message.meta.user_id = kUser;
  return message;
}

class UserId : public ProtocolFixture, public ::testing::WithParamInterface<const Protocol*> {
 protected:
  UserId() : ProtocolFixture(GetParam()) {}
};

TEST_P(UserId, IsInNoBodyAndNoHeaderOfARequest) {
  provider_.api_key = Secret("sk-key");
  AiMessage asking = of_user("m2", AiMessage());
  asking.text = "Let me look.";
  asking.tool_calls = {tool_call("call_1")};
  ToolMessage answer = of_user("m3", ToolMessage());
  answer.tool_call_id = ToolCallId("call_1");
  answer.tool_name = "query_database";
  answer.content = "one row";
  HumanMessage question = of_user("m1", HumanMessage());
  question.text = "How many?";
  const std::vector<Message> messages{question, asking, answer};
  TestRequest with_tool;
  ModelRequest request = with_tool.with_tool().get();
  for (const Message& message : messages) request.messages.push_back(&message);
  for (const LlmQuirks quirks : every_quirk()) {
    provider_.quirks = quirks;
    const auto body = protocol().request_body(request, context());
    ASSERT_TRUE(body) << body.error().message;
    EXPECT_NE(body->find("How many?"), std::string::npos);
    EXPECT_EQ(body->find(kUser), std::string::npos) << *body;
    for (const char* field : {"user", "user_id", "metadata", "safety_identifier"})
      EXPECT_FALSE(nlohmann::json::parse(*body).contains(field)) << *body;
    for (const auto& [name, value] : request_headers(provider_)) {
      EXPECT_EQ(value.reveal().find(kUser), std::string::npos) << name;
      EXPECT_EQ(name.find("user-id"), std::string::npos) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryProtocol, UserId,
                         ::testing::Values(&anthropic_protocol(), &openai_chat_protocol(),
                                           &openai_responses_protocol()),
                         [](const auto& info) { return std::string(info.param->name()); });

}  // namespace
}  // namespace ba::llm
