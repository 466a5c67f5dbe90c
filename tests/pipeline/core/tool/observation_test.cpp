// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/observation.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

TEST(ErrorObservation, IsExactlyTheSpecifiedText) {
  const ToolError error{ToolErrorType::PermissionDenied, "DENIED", "no access to x"};
  EXPECT_EQ(error_observation(error, ToolCallId("toolu_1")),
            "Operation failed.\n"
            "\n"
            "Error Type: permission_denied\n"
            "Error Code: DENIED\n"
            "Error Message: no access to x\n"
            "\n"
            "Tool Call ID: toolu_1");
}

TEST(ErrorObservation, HasTheSpecifiedWordsForWhatIsMissing) {
  EXPECT_EQ(error_observation(std::nullopt, ToolCallId("c")),
            "Operation failed.\n\nError Type: Unknown\nError Code: UNKNOWN\n"
            "Error Message: An unknown error occurred\n\nTool Call ID: c");
  EXPECT_EQ(error_observation(ToolError{}, ToolCallId("c")),
            "Operation failed.\n\nError Type: internal_error\nError Code: UNKNOWN\n"
            "Error Message: An unknown error occurred\n\nTool Call ID: c");
}

TEST(ErrorObservation, OfATimeoutNamesTheTimeout) {
  EXPECT_EQ(error_observation(timeout_error(Milliseconds(120000)), ToolCallId("c")),
            "Operation failed.\n\nError Type: timeout\nError Code: TIMEOUT\n"
            "Error Message: Tool execution timed out after 120000ms\n\nTool Call ID: c");
}

TEST(OutcomeUnknownObservation, SaysThatItMayHaveHappenedAndEndsWithTheCallId) {
  const std::string text = outcome_unknown_observation(std::nullopt, ToolCallId("c"));
  EXPECT_TRUE(text.starts_with("Outcome unknown.\n\n"));
  EXPECT_NE(text.find("is not run again by itself"), std::string::npos);
  EXPECT_TRUE(text.ends_with("before you repeat it.\n\nTool Call ID: c"));
}

TEST(OutcomeUnknownObservation, SaysWhatWasHeardLast) {
  const std::string text = outcome_unknown_observation(
      ToolError{ToolErrorType::ExecutionError, "TOO_LARGE", "the answer has 5 MiB"},
      ToolCallId("c"));
  EXPECT_TRUE(text.ends_with(
      "before you repeat it.\nLast heard: TOO_LARGE: the answer has 5 MiB\n\nTool Call ID: c"))
      << text;
}

TEST(ObservationMessage, OfWhatDidNotSucceedIsAnErrorResult) {
  ToolResult result;
  result.tool_call_id = ToolCallId("c");
  result.observation = "text";
  for (const auto& [state, status] : {std::pair(ToolCallState::Succeeded, ToolStatus::Success),
                                      std::pair(ToolCallState::Failed, ToolStatus::Error),
                                      std::pair(ToolCallState::Unknown, ToolStatus::Error)}) {
    result.state = state;
    const ToolMessage message = observation_message({}, "query", result);
    EXPECT_EQ(message.status, status) << to_string(state);
    EXPECT_EQ(message.content, "text");
    EXPECT_EQ(message.tool_call_id, ToolCallId("c"));
    EXPECT_EQ(message.tool_name, "query");
  }
}

}  // namespace
}  // namespace ba
