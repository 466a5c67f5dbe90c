#pragma once
// SPDX-License-Identifier: Apache-2.0
// The little that has to be known about OpenAI's own host and models, to choose between its two
// protocols. Pure functions.

#include <string_view>

namespace ba {

/// api.openai.com or a host below openai.com, such as a region's.
bool is_openai_host(std::string_view base_url);

/// By its name: o1, o3-mini, o4-…, gpt-5, gpt-5.4-mini, gpt-6-…, and a fine-tuned one of those.
/// Over chat completions such models take tools with effort none only, or not at all.
bool is_openai_reasoning_model(std::string_view model_id);

}  // namespace ba
