// SPDX-License-Identifier: Apache-2.0
// The line with a job's date is part of the question that models are sent, in each protocol.
#include "pipeline/text/message/job_time.hpp"

#include "tests/worker/llm/protocol_fixture.hpp"
#include "worker/llm/anthropic/anthropic_protocol.hpp"
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"
#include "worker/llm/openai_responses/openai_responses_protocol.hpp"

namespace ba::llm {
namespace {

class JobTimeInRequests : public ProtocolFixture,
                          public ::testing::WithParamInterface<const Protocol*> {
 protected:
  JobTimeInRequests() : ProtocolFixture(GetParam()) {}
};

TEST_P(JobTimeInRequests, StandsBeforeTheQuestionAndNotInTheSystemPrompt) {
  HumanMessage question;
  question.meta.message_id = MessageId("m1");
  question.meta.additional_kwargs[std::string(kJobTimeKwarg)] =
      R"("Today is Friday, 2026-11-27 (UTC).")";
  question.text = "How many?";
  const Message message = question;
  for (const LlmQuirks quirks : every_quirk()) {
    provider_.quirks = quirks;
    TestRequest plain;
    ModelRequest request = plain.get();
    request.messages.push_back(&message);
    const auto told = protocol().request_body(request, context());
    ASSERT_TRUE(told) << told.error().message;
    const auto as_text = protocol().request_body(
        plain.human("Today is Friday, 2026-11-27 (UTC).\n\nHow many?").get(), context());
    EXPECT_EQ(*told, *as_text);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryProtocol, JobTimeInRequests,
                         ::testing::Values(&anthropic_protocol(), &openai_chat_protocol(),
                                           &openai_responses_protocol()),
                         [](const auto& info) { return std::string(info.param->name()); });

}  // namespace
}  // namespace ba::llm
