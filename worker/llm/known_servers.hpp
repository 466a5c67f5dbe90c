#pragma once
// SPDX-License-Identifier: Apache-2.0
// Providers that are known by their host, or by the name of the model behind somebody's server.
// Pure functions; any thread.

#include <string_view>

#include "worker/llm/llm_config.hpp"

namespace ba {

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

}  // namespace ba
