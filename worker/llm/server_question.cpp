// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/server_question.hpp"

#include <utility>

#include "worker/llm/protocol.hpp"

namespace ba::llm {

Result<http::HttpReply> fetch_from_server(const ProviderConfig& provider, const std::string& url,
                                          const std::string& sent, Milliseconds timeout) {
  return fetch_with_headers(provider, url, request_headers(provider), sent, timeout,
                            kServerAnswerBytesMax);
}

Result<http::HttpReply> fetch_with_headers(const ProviderConfig& provider, const std::string& url,
                                           http::HttpHeaders headers, const std::string& sent,
                                           Milliseconds timeout, std::int64_t bytes_max) {
  http::HttpEndpointConfig endpoint = provider_endpoint(provider, url, std::move(headers));
  endpoint.reply_bytes_max = bytes_max;
  auto answer = http::ask_endpoint(endpoint, sent, timeout);
  if (answer && (answer->status == 401 || answer->status == 403))
    return make_error(ErrorCode::Authentication,
                      url + " refuses the key: HTTP " + std::to_string(answer->status));
  return answer;
}

Result<std::string> ask_server(const ProviderConfig& provider, const std::string& url,
                               const std::string& sent, Milliseconds timeout) {
  auto answer = fetch_from_server(provider, url, sent, timeout);
  if (!answer) return answer.error();
  if (answer->status != 200)
    return make_error(ErrorCode::Protocol,
                      url + " answered HTTP " + std::to_string(answer->status));
  return std::move(answer->body);
}

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

}  // namespace ba::llm
