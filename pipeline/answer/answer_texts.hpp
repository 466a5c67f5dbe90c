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

/// What a model that gave another answer is told, as a hidden message.
std::string answer_repair_text(std::string_view violation);

}  // namespace ba
