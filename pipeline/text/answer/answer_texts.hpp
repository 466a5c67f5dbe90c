#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a model is told about the form of its answers. Pure functions; any thread.

#include <string>
#include <string_view>

namespace ba {

/// The system prompt with the schema that final answers must fit; the same without one.
std::string with_answer_schema(std::string system_prompt, std::string_view schema);

/// Flag of such a message among its additional_kwargs, beside isMeta.
inline constexpr const char* kAnswerRepairFlag = "answer_repair";

/// Flag beside it: the reply before is a part of the same turn.
inline constexpr const char* kTurnPausedFlag = "turn_paused";

/// What a model is told that said nothing, and one whose turn its provider paused.
inline constexpr const char* kAfterNothingText =
    "<system-reminder>\nYour last reply was empty. Go on: call a tool, or give the final answer as "
    "text.\n</system-reminder>";
inline constexpr const char* kAfterPauseText =
    "<system-reminder>\nYour turn was paused. Go on exactly where your last reply stopped, without "
    "repeating any of it.\n</system-reminder>";

/// What a model that gave another answer is told, as a hidden message.
std::string answer_repair_text(std::string_view violation);

}  // namespace ba
