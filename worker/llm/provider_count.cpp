// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/provider_count.hpp"

#include "worker/llm/server_question.hpp"

namespace ba {

Result<std::int64_t> counted_by_provider(const ProviderConfig& provider, const CountApi& api,
                                         const std::string& model_id, std::string_view text,
                                         Milliseconds timeout) {
  if (text.empty()) return 0;
  const auto answer =
      fetch_with_headers(provider, api.url, count_headers(api, provider),
                         api.form->text_question(model_id, text), timeout, kCountAnswerBytesMax);
  Error error;
  if (!answer) {
    error = answer.error();
    if (error.code == ErrorCode::Authentication && !api.trusted)
      error.message = api.url + " " + kNoKeySent;
    return error;
  }
  error.code = ErrorCode::Protocol;
  error.message = api.url + " answered HTTP " + std::to_string(answer->status);
  if (answer->status != 200) return error;
  const Result<std::int64_t> count = read_count(answer->body);
  if (count && *count > 0) return *count;
  error.message = api.url + " " + (count ? "counted nothing" : count.error().message);
  return error;
}

}  // namespace ba
