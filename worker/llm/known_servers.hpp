#pragma once
// SPDX-License-Identifier: Apache-2.0
// Providers that are known by their host, or by the name of the model behind somebody's server.
// Pure functions; any thread.

#include <string_view>

#include "pipeline/text/answer/closed_form.hpp"
#include "worker/llm/llm_config.hpp"
#include "worker/llm/protocol.hpp"

namespace ba::llm {

/// Of a URL that is_http_url(): exactly this host, at any port.
bool is_host(std::string_view url, std::string_view host);

/// api.openai.com or a host below openai.com, such as a region's.
bool is_openai_host(std::string_view base_url);

/// Gemini's own API.
bool is_gemini_host(std::string_view url);

/// Vertex AI, where Gemini's models are at other paths and take other bodies
/// (https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/count-tokens).
bool is_vertex(std::string_view url);

/// One of those two, or a gateway to their models.
bool is_google(const ProviderConfig& provider, const ModelConfig& model);

/// Likewise.
bool is_moonshot(const ProviderConfig& provider, const ModelConfig& model);

// The little that has to be known about OpenAI's own models, in both of its protocols.

inline constexpr std::string_view kOpenaiUrl = "https://api.openai.com";
inline constexpr std::string_view kOpenaiKey = "OPENAI_API_KEY";

/// By its name: o1, o3-mini, o4-…, gpt-5, gpt-5.4-mini, gpt-6-…, and a fine-tuned one of those.
/// Over chat completions such models take tools with effort none only, or not at all.
bool is_openai_reasoning_model(std::string_view model_id);

/// Protocol::answer_form().
StructuredOutput openai_answer_form(const ClosedForm& form);

}  // namespace ba::llm
