#pragma once
// SPDX-License-Identifier: Apache-2.0
// A text as a request for its embedding, of the OpenAI-compatible form. Pure; any thread.

#include <string>

#include "worker/http/http_client.hpp"
#include "worker/tools/vector/vector_search_config.hpp"

namespace ba {

/// Where requests go: /embeddings below base_url, which gets "/v1" where it has no path.
HttpEndpointConfig embedding_endpoint(const VectorSearchConfig& config);

HttpPost embedding_request(const VectorSearchConfig& config, const std::string& text);

}  // namespace ba
