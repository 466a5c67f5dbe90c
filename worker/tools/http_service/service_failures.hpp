#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a call of a service that failed is to the model: tables of how a request may end, and of
// HTTP statuses. Each message says what was wrong and who can do what; none has anything of the
// request or of the answer, so that neither a key nor a server's words get into a conversation.
// Pure; any thread.

#include <optional>
#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

/// What a tool's messages call its service, and what they advise. Constants.
struct ServiceName {
  const char* code;           ///< what codes begin with: "SEARCH"
  const char* service;        ///< "the search service"
  const char* section;        ///< where it is configured: "tools.web_search"
  const char* calls;          ///< what waits for it: "searches"
  const char* refused;        ///< of a request that it can't read
  const char* key;            ///< of credentials that it doesn't take
  const char* wrong_address;  ///< of a place where it isn't
  const char* too_large;      ///< a sentence, of an answer beyond its limit
  const char* invalid;        ///< a sentence, of an answer that isn't as it should be
};

/// Of a request without a whole answer. `answer_bytes_max`: the limit on it.
RawToolResult service_failure(const ServiceName& name, const Error& error,
                              std::int64_t answer_bytes_max);

/// Of an answer whose status isn't 2xx, and what it asks to be waited for.
RawToolResult service_failure(const ServiceName& name, int status,
                              std::optional<Milliseconds> asked);

/// Of an answer that isn't what the configuration says; `what` follows "the … answer".
RawToolResult service_answer_invalid(const ServiceName& name, const std::string& what);

}  // namespace ba
