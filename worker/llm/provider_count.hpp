#pragma once
// SPDX-License-Identifier: Apache-2.0
// A provider's own count of the tokens of a text, for commands. Blocking, each request bounded by
// `timeout`; any thread. Messages never hold the key.

#include <cstdint>
#include <string_view>

#include "worker/llm/count_api.hpp"

namespace ba {

/// Of the text as one message of a user, what the provider puts around it with it; so an empty text
/// isn't asked about, and is 0. Errors as of ask_server(), and Protocol for an answer without a
/// count.
Result<std::int64_t> counted_by_provider(const ProviderConfig& provider, const CountApi& api,
                                         const std::string& model_id, std::string_view text,
                                         Milliseconds timeout);

}  // namespace ba
