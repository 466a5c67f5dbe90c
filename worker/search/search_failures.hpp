#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a search that failed is to the model: tables of how a request may end, and of HTTP statuses.
// Each message says what was wrong and who can do what; none has anything of the request or of the
// answer, so that neither a key nor a server's words get into a conversation. Pure; any thread.

#include <optional>

#include "pipeline/base/error.hpp"
#include "pipeline/tool/tool.hpp"
#include "worker/search/web_search_config.hpp"

namespace ba {

/// Of a request without a whole answer.
RawToolResult search_failure(const Error& error, const WebSearchConfig& config);

/// Of an answer whose status isn't 2xx, and what it asks to be waited for.
RawToolResult search_failure(int status, std::optional<Milliseconds> asked);

/// Of an answer that isn't what the configuration says.
RawToolResult search_answer_invalid(const std::string& what);

}  // namespace ba
