#pragma once
// SPDX-License-Identifier: Apache-2.0
// Gemini's own way to count tokens (https://ai.google.dev/api/tokens): its models are asked for
// replies over openai_chat, so what is sent is translated. Pure functions.

#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/core/model/model_client.hpp"

namespace ba {

/// Whether it is Vertex AI's, which counts at another path and takes another body
/// (https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/count-tokens).
bool is_vertex(std::string_view url);

/// Of a base URL with or without the "/openai" or, at Vertex AI, "/endpoints/openapi" of what is
/// compatible with OpenAI's API.
std::string gemini_count_url(std::string_view base_url, std::string_view model_id);

std::string gemini_text_to_count(std::string_view text);

/// Prompt, tools and messages. InvalidArgument where the history isn't valid.
Result<std::string> gemini_request_to_count(const ModelRequest& request, std::string_view model_id,
                                            bool vertex);

}  // namespace ba
