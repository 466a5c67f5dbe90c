// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/resolution.hpp"

#include <gtest/gtest.h>

#include "pipeline/core/tool/observation.hpp"

namespace ba {
namespace {

const ToolCallId kCall("c1");
const std::vector<UnresolvedCall> kTwo{{{0, 1, 1}, ToolCallId("c1"), "mail"},
                                       {{0, 1, 2}, ToolCallId("c2"), "pay"}};

CallAnswer answer(CallVerdict verdict, std::optional<std::string> result = std::nullopt) {
  CallAnswer answer;
  answer.verdict = verdict;
  answer.result = std::move(result);
  return answer;
}

ToolResult happened(std::string result) {
  return resolved_result(answer(CallVerdict::Happened, std::move(result)), kCall).value().value();
}

TEST(Resolution, ACallThatHappenedSucceedsWithTheResultInFull) {
  const ToolResult result = happened(R"([{"a":1},{"a":2},{"a":3},{"a":4}])");
  EXPECT_EQ(result.state, ToolCallState::Succeeded);
  EXPECT_EQ(result.tool_call_id, kCall);
  EXPECT_EQ(result.output_level, OutputLevel::Full);
  EXPECT_NE(result.observation.find("\"a\": 4"), std::string::npos);
  EXPECT_EQ(result.data_summary, "List with 4 items. First item keys: ['a']");
}

TEST(Resolution, WhatIsNotJsonIsAText) {
  EXPECT_EQ(happened("sent as \"m-17\"").observation, R"("sent as \"m-17\"")");
  EXPECT_EQ(happened("\xff").observation, "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(happened(std::string(100, '[')).observation, '"' + std::string(100, '[') + '"');
}

TEST(Resolution, ALongResultIsCut) {
  CallAnswer long_answer = answer(CallVerdict::Happened, std::string(500, 'x'));
  long_answer.observation_bytes_max = 100;
  const auto result = resolved_result(long_answer, kCall);
  EXPECT_NE((*result)->observation.find("[cut: the first 100 of 502 bytes]"), std::string::npos);
}

TEST(Resolution, WithoutAResultTheModelReadsThatItHappened) {
  const auto result = resolved_result(answer(CallVerdict::Happened), kCall);
  EXPECT_EQ((*result)->state, ToolCallState::Succeeded);
  EXPECT_TRUE((*result)->observation.starts_with("The call took effect"));
}

TEST(Resolution, ACallThatIsGivenUpIsUnknown) {
  EXPECT_EQ(resolved_result(answer(CallVerdict::GiveUp), kCall).value().value(),
            unknown_result(kCall));
}

TEST(Resolution, ACallThatDidNotHappenHasNoResult) {
  EXPECT_EQ(resolved_result(answer(CallVerdict::DidNotHappen), kCall).value(), std::nullopt);
  EXPECT_FALSE(resolved_result(answer(CallVerdict::DidNotHappen, "1"), kCall));
  EXPECT_FALSE(resolved_result(answer(CallVerdict::GiveUp, "1"), kCall));
}

TEST(Resolution, TheOnlyCallNeedsNoName) {
  EXPECT_EQ(call_meant({kTwo[0]}, answer(CallVerdict::GiveUp), "acme/j").value(), kTwo[0]);
}

TEST(Resolution, OneOfSeveralIsNamed) {
  CallAnswer second = answer(CallVerdict::GiveUp);
  const auto unnamed = call_meant(kTwo, second, "acme/j");
  EXPECT_EQ(unnamed.error().message,
            "job acme/j waits for an answer about mail (c1), pay (c2): say with --call which one "
            "is meant");
  second.call = ToolCallId("c2");
  EXPECT_EQ(call_meant(kTwo, second, "acme/j").value(), kTwo[1]);
}

TEST(Resolution, ACallThatNobodyAskedAboutIsNotFound) {
  CallAnswer other = answer(CallVerdict::GiveUp);
  other.call = ToolCallId("c9");
  const auto meant = call_meant(kTwo, other, "acme/j");
  ASSERT_FALSE(meant);
  EXPECT_EQ(meant.error().code, ErrorCode::NotFound);
  EXPECT_EQ(meant.error().message,
            "job acme/j doesn't wait for an answer about call c9, but about mail (c1), pay (c2)");
}

}  // namespace
}  // namespace ba
