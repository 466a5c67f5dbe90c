// SPDX-License-Identifier: Apache-2.0
#include "worker/http/endpoint_probe.hpp"

#include <curl/curl.h>

#include <array>
#include <memory>

#include "worker/http/curl_codes.hpp"
#include "worker/http/curl_handle.hpp"
#include "worker/http/curl_way.hpp"

namespace ba {
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

}  // namespace ba
