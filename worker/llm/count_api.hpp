#pragma once
// SPDX-License-Identifier: Apache-2.0
// Who counts a model's tokens, and how it is asked: the same for a worker and for commands.
// Counting costs nothing. The protocols say who fits and in which form (count_form.hpp). Pure
// functions.

#include <cstdint>
#include <string>
#include <string_view>

#include "worker/llm/count_form.hpp"

namespace ba {

/// What a server answers that isn't trusted and wants to be.
inline constexpr const char* kNoKeySent =
    "wants a key; none is sent to another server than the provider's base_url";

/// Of an answer: vLLM's holds each token.
inline constexpr std::int64_t kCountAnswerBytesMax = 16 << 20;

struct CountApi {
  const CountForm* form = nullptr;
  std::string url;
  bool trusted =
      true;  ///< it is on the provider's own server: credentials go there, and only there

  friend bool operator==(const CountApi&, const CountApi&) = default;
};

/// "anthropic", "openai", "gemini", a URL, or "": what is known of the provider.
bool is_count_api(std::string_view named);

/// Who is asked about the model. A URL says by its end which form it takes (/count_tokens,
/// /input_tokens, :countTokens), else that of the provider's protocol is sent. InvalidArgument says
/// what doesn't fit, and what would.
Result<CountApi> count_api(const ProviderConfig& provider, const ModelConfig& model,
                           std::string_view named);

/// What each question carries.
HttpHeaders count_headers(const CountApi& api, const ProviderConfig& provider);

/// All that is sent with a request, without what is only about the reply. Of another form than the
/// provider's it is translated. InvalidArgument as of Protocol::request_body().
Result<std::string> request_to_count(const CountApi& api, const ModelRequest& request,
                                     const ProtocolContext& context);

/// The count in an answer, at least 0. Protocol: there is none.
Result<std::int64_t> read_count(std::string_view body);

}  // namespace ba
