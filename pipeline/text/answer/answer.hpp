#pragma once
// SPDX-License-Identifier: Apache-2.0
// A job's answers as JSON of a schema (JSON Schema draft 7). Pure functions; any thread.

#include <cstddef>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"

namespace ba {

inline constexpr std::size_t kAnswerSchemaBytesMax = 64 * 1024;
inline constexpr int kAnswerSchemaDepthMax = 32;

/// JSON without white space between its parts: names keep their order, numbers and texts their
/// spelling. `json` must be JSON.
std::string compact_json(std::string_view json);

/// Whether answers can be checked against the schema. InvalidArgument names the place in it:
/// too large or deep, no schema, a reference that leads out of it or in a circle, a keyword of a
/// later draft, a pattern that RE2 doesn't know.
Result<void> check_answer_schema(std::string_view schema);

/// The answer in a model's text, as compact_json. The text is JSON, or nothing but JSON between
/// ``` and ```. InvalidArgument names the place in the answer and the rule that it breaks, for the
/// model: at most 1000 characters on one line.
Result<std::string> read_answer(std::string_view schema, std::string_view text);

// What a model is told about the form of its answers.

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
