// SPDX-License-Identifier: Apache-2.0
#include "worker/http/http_question.hpp"

#include <curl/curl.h>
#include <array>
#include <memory>
#include <utility>

#include "worker/http/curl_codes.hpp"
#include "worker/http/curl_handle.hpp"
#include "worker/http/curl_way.hpp"

namespace ba::http {
namespace {

struct Body {
  std::string& text;
  const std::int64_t bytes_max;
};

std::size_t take(char* data, std::size_t size, std::size_t count, void* taker) {
  auto& body = *static_cast<Body*>(taker);
  const std::size_t bytes = size * count;
  if (std::ssize(body.text) + static_cast<std::int64_t>(bytes) > body.bytes_max) return 0;
  body.text.append(data, bytes);
  return bytes;
}

}  // namespace

Result<HttpReply> ask_endpoint(const HttpEndpointConfig& config, const std::string& sent,
                               Milliseconds timeout) {
  const std::unique_ptr<CURL, CurlEasyDelete> handle(curl_easy_init());
  if (!handle) return make_error(ErrorCode::Internal, "libcurl can't start");
  CurlList headers;
  for (const auto& [name, value] : config.headers)
    append_line(headers, header_line(name, value.reveal()));
  HttpReply answer;
  Body body{answer.body, config.reply_bytes_max};
  CURL* curl = handle.get();
  curl_easy_setopt(curl, CURLOPT_URL, config.url.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  std::array<char, CURL_ERROR_SIZE> message{};
  set_way(curl, config);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, message.data());
  if (!sent.empty()) curl_easy_setopt(curl, CURLOPT_POSTFIELDS, sent.c_str());
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &take);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
  const CURLcode code = curl_easy_perform(curl);
  // By take(), which takes no more.
  if (code == CURLE_WRITE_ERROR)
    return make_error(ErrorCode::Unavailable, config.url + ": the answer has more than " +
                                                  std::to_string(config.reply_bytes_max) +
                                                  " bytes");
  if (code != CURLE_OK) {
    Error error = error_of_curl(code, message.data(), config.ca_file);
    error.message = config.url + ": " + error.message;
    return error;
  }
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer.status);
  return answer;
}

Result<void> probe_endpoint(const HttpEndpointConfig& config, Milliseconds timeout) {
  const std::unique_ptr<CURL, CurlEasyDelete> handle(curl_easy_init());
  if (!handle) return error_of_curl(CURLE_FAILED_INIT, "", "");
  CURL* curl = handle.get();
  curl_easy_setopt(curl, CURLOPT_URL, config.url.c_str());
  std::array<char, CURL_ERROR_SIZE> message{};
  set_way(curl, config);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, message.data());
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
  curl_easy_setopt(curl, CURLOPT_CONNECT_ONLY, 1L);
  const CURLcode code = curl_easy_perform(curl);
  if (code != CURLE_OK) return error_of_curl(code, message.data(), config.ca_file);
  return {};
}

}  // namespace ba::http
