// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/server_question.hpp"

#include <utility>

#include "worker/llm/protocol.hpp"

namespace ba {
namespace {

Error failed(ErrorCode code, std::string message) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  return error;
}

}  // namespace

Result<HttpReply> fetch_from_server(const ProviderConfig& provider, const std::string& url,
                                    const std::string& sent, Milliseconds timeout) {
  return fetch_with_headers(provider, url, request_headers(provider), sent, timeout,
                            kServerAnswerBytesMax);
}

Result<HttpReply> fetch_with_headers(const ProviderConfig& provider, const std::string& url,
                                     HttpHeaders headers, const std::string& sent,
                                     Milliseconds timeout, std::int64_t bytes_max) {
  HttpEndpointConfig endpoint = provider_endpoint(provider, url, std::move(headers));
  endpoint.reply_bytes_max = bytes_max;
  auto answer = ask_endpoint(endpoint, sent, timeout);
  if (answer && (answer->status == 401 || answer->status == 403))
    return failed(ErrorCode::Authentication,
                  url + " refuses the key: HTTP " + std::to_string(answer->status));
  return answer;
}

Result<std::string> ask_server(const ProviderConfig& provider, const std::string& url,
                               const std::string& sent, Milliseconds timeout) {
  auto answer = fetch_from_server(provider, url, sent, timeout);
  if (!answer) return answer.error();
  if (answer->status != 200)
    return failed(ErrorCode::Protocol, url + " answered HTTP " + std::to_string(answer->status));
  return std::move(answer->body);
}

}  // namespace ba
