// SPDX-License-Identifier: Apache-2.0
#pragma once
// A text as a request for its embedding, of the OpenAI-compatible form, and the answer as a vector:
// data[0].embedding, a list of numbers or, in base64, little-endian floats of four bytes. Pure; any
// thread.

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "worker/http/http_client.hpp"
#include "worker/tools/http_service/service_exchange.hpp"
#include "worker/tools/vector/vector_search_config.hpp"

namespace ba::vector {

/// What a vector search that failed says of the service.
inline constexpr http_service::ServiceName kEmbeddingService{
    .code = "EMBEDDING",
    .service = "the embeddings service",
    .section = "tools.vector_search",
    .calls = "searches",
    .refused =
        "it refuses this query: shorten it. If it refuses every query, an operator must check "
        "model in {section}",
    .key = "an operator must mend {section}.api_key",
    .wrong_address = "an operator must check base_url and model in {section}",
    .too_large = "An operator must check model, or raise {section}.response_bytes_max",
    .invalid = "An operator must check base_url, model and dimensions in {section}",
};

/// Where requests go: /embeddings below base_url, which gets "/v1" where it has no path.
http::HttpEndpointConfig embedding_endpoint(const VectorSearchConfig& config);

http::HttpPost embedding_request(const VectorSearchConfig& config, const std::string& text);

/// As many finite numbers as `dimensions` says, not all of them 0. Protocol otherwise: its message
/// follows "the embeddings service's answer". `body` may be of any bytes.
Result<std::vector<double>> embedding_answer(std::string_view body, int dimensions);

}  // namespace ba::vector
