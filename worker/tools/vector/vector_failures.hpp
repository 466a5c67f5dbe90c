#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a vector search that failed is to the model: what it says of the embeddings service, and
// what an index may lack. Pure; any thread.

#include <string>

#include "pipeline/core/tool/tool.hpp"
#include "worker/tools/http_service/service_failures.hpp"
#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/vector/vector_search_config.hpp"

namespace ba {

inline constexpr ServiceName kEmbeddingService{
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

/// INDEX_MISCONFIGURED: `what` is a sentence without its end.
RawToolResult index_misconfigured(const VectorIndexConfig& index, const std::string& what);

/// INDEX_TOO_LARGE for an exact search: which limit, and what an operator can do.
RawToolResult index_too_large(const VectorIndexConfig& index, const char* limit,
                              const std::string& value);

/// Of the data source. Not for Deadline and Cancelled.
RawToolResult index_failure(const VectorIndexConfig& index, const SqlFailure& failure);

}  // namespace ba
