#pragma once
// SPDX-License-Identifier: Apache-2.0
// A provider's own count of tokens, which costs nothing: Anthropic's
// (https://platform.claude.com/docs/en/api/messages-count-tokens). Blocking, each request bounded
// by `timeout`; any thread. Messages never hold the key.

#include <cstdint>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "worker/llm/llm_config.hpp"

namespace ba {

/// Whether there is an endpoint to ask.
bool counts_tokens(const ProviderConfig& provider);

/// Of the text as one message of a user, what the provider puts around it with it; so an empty text
/// isn't asked about, and is 0. InvalidArgument where there is no endpoint; errors as of
/// ask_server(), and Protocol for an answer without a count.
Result<std::int64_t> counted_by_provider(const ProviderConfig& provider,
                                         const std::string& model_id, std::string_view text,
                                         Milliseconds timeout);

}  // namespace ba
