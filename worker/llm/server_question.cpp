// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/server_question.hpp"

#include <curl/curl.h>

#include <array>
#include <memory>
#include <utility>

#include "worker/http/curl_codes.hpp"
#include "worker/http/curl_way.hpp"
#include "worker/llm/protocol.hpp"

namespace ba {
namespace {

struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
struct FreeHandle {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};

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

Error failed(ErrorCode code, std::string message) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  return error;
}

HttpEndpointConfig way_to(const ProviderConfig& provider) {
  HttpEndpointConfig way;
  way.proxy = provider.proxy;
  way.proxy_user = provider.proxy_user;
  way.proxy_password = provider.proxy_password;
  way.ca_file = provider.ca_file;
  return way;
}

/// "name;" sends an empty value, "name:" would leave the header out.
std::string header_line(const std::string& name, const Secret& value) {
  return value.empty() ? name + ";" : name + ": " + value.reveal();
}

}  // namespace

Result<ServerAnswer> fetch_from_server(const ProviderConfig& provider, const std::string& url,
                                       const std::string& sent, Milliseconds timeout) {
  return fetch_with_headers(provider, url, request_headers(provider), sent, timeout,
                            kServerAnswerBytesMax);
}

Result<ServerAnswer> fetch_with_headers(const ProviderConfig& provider, const std::string& url,
                                        const ServerHeaders& given, const std::string& sent,
                                        Milliseconds timeout, std::int64_t bytes_max) {
  const std::unique_ptr<CURL, FreeHandle> handle(curl_easy_init());
  if (!handle) return failed(ErrorCode::Internal, "libcurl can't start");
  std::unique_ptr<curl_slist, FreeList> headers;
  for (const auto& [name, value] : given)
    headers.reset(curl_slist_append(headers.release(), header_line(name, value).c_str()));
  ServerAnswer answer;
  Body body{answer.body, bytes_max};
  CURL* curl = handle.get();
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  std::array<char, CURL_ERROR_SIZE> message{};
  set_way(curl, way_to(provider));
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, message.data());
  if (!sent.empty()) curl_easy_setopt(curl, CURLOPT_POSTFIELDS, sent.c_str());
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &take);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
  const CURLcode code = curl_easy_perform(curl);
  // By take(), which takes no more.
  if (code == CURLE_WRITE_ERROR)
    return failed(ErrorCode::Unavailable,
                  url + ": the answer has more than " + std::to_string(bytes_max) + " bytes");
  if (code != CURLE_OK) {
    Error error = error_of_curl(code, message.data(), provider.ca_file);
    error.message = url + ": " + error.message;
    return error;
  }
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer.status);
  if (answer.status == 401 || answer.status == 403)
    return failed(ErrorCode::Authentication,
                  url + " refuses the key: HTTP " + std::to_string(answer.status));
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
