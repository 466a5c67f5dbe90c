#pragma once
// SPDX-License-Identifier: Apache-2.0
// The little that has to be known about OpenAI's own models, in both of its protocols. Pure
// functions.

#include <string_view>

#include "pipeline/text/answer/closed_form.hpp"
#include "worker/llm/protocol_traits.hpp"

namespace ba {

inline constexpr std::string_view kOpenaiUrl = "https://api.openai.com";
inline constexpr std::string_view kOpenaiKey = "OPENAI_API_KEY";

/// By its name: o1, o3-mini, o4-…, gpt-5, gpt-5.4-mini, gpt-6-…, and a fine-tuned one of those.
/// Over chat completions such models take tools with effort none only, or not at all.
bool is_openai_reasoning_model(std::string_view model_id);

/// Protocol::answer_form().
StructuredOutput openai_answer_form(const ClosedForm& form);

}  // namespace ba
