#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a vector search that failed is to the model: tables of how a request for an embedding may
// end and of its HTTP statuses, and what an index may lack. Each message says what was wrong and
// who can do what; none has anything of a request or of an answer of the embeddings service. Pure;
// any thread.

#include <optional>
#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/tool/tool.hpp"
#include "worker/tools/pg_connection.hpp"
#include "worker/vector/vector_search_config.hpp"

namespace ba {

/// Of a request without a whole answer.
RawToolResult embedding_failure(const Error& error, const VectorSearchConfig& config);

/// Of an answer whose status isn't 2xx, and what it asks to be waited for.
RawToolResult embedding_failure(int status, std::optional<Milliseconds> asked);

/// Of an answer that isn't one vector as configured; `what` follows "the … answer".
RawToolResult embedding_invalid(const std::string& what);

/// INDEX_MISCONFIGURED: `what` is a sentence without its end.
RawToolResult index_misconfigured(const VectorIndexConfig& index, const std::string& what);

/// INDEX_TOO_LARGE for an exact search: which limit, and what an operator can do.
RawToolResult index_too_large(const VectorIndexConfig& index, const char* limit,
                              const std::string& value);

/// Of the data source. Not for Deadline and Cancelled.
RawToolResult index_failure(const VectorIndexConfig& index, const SqlFailure& failure);

}  // namespace ba
