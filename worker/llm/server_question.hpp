#pragma once
// SPDX-License-Identifier: Apache-2.0
// One question to a provider's server from a command: blocking, bounded by `timeout`; any thread.
// Messages never hold the key.

#include <cstdint>
#include <string>
#include <string_view>

#include "worker/http/http_question.hpp"
#include "worker/llm/count_form.hpp"
#include "worker/llm/protocol.hpp"

namespace ba::llm {

/// POST where there is something to send. Unavailable: no reply; Authentication: it refused the
/// key.
Result<http::HttpReply> fetch_from_server(const ProviderConfig& provider, const std::string& url,
                                          const std::string& sent, Milliseconds timeout);

/// Of an answer, where nothing else is said.
inline constexpr std::int64_t kServerAnswerBytesMax = 1 << 20;

/// The same with other headers than the provider's own, by the provider's way. Unavailable also
/// where the answer has more than `bytes_max`.
Result<http::HttpReply> fetch_with_headers(const ProviderConfig& provider, const std::string& url,
                                           http::HttpHeaders headers, const std::string& sent,
                                           Milliseconds timeout, std::int64_t bytes_max);

/// The body of a reply with status 200. Errors as above, and Protocol: another status.
Result<std::string> ask_server(const ProviderConfig& provider, const std::string& url,
                               const std::string& sent, Milliseconds timeout);

/// A provider's own count of the tokens of a text as one message of a user, what the provider puts
/// around it with it; so an empty text isn't asked about, and is 0. Errors as of ask_server(), and
/// Protocol for an answer without a count.
Result<std::int64_t> counted_by_provider(const ProviderConfig& provider, const CountApi& api,
                                         const std::string& model_id, std::string_view text,
                                         Milliseconds timeout);

}  // namespace ba::llm
