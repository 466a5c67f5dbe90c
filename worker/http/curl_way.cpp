// SPDX-License-Identifier: Apache-2.0
#include "worker/http/curl_way.hpp"

namespace ba::http {

void set_way(CURL* curl, const HttpEndpointConfig& config) {
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_PROXY,
                   config.proxy.c_str());  // "" also shuts out the environment's
  if (!config.proxy_user.empty()) {
    curl_easy_setopt(curl, CURLOPT_PROXYAUTH, CURLAUTH_BASIC);
    curl_easy_setopt(curl, CURLOPT_PROXYUSERNAME, config.proxy_user.reveal().c_str());
    curl_easy_setopt(curl, CURLOPT_PROXYPASSWORD, config.proxy_password.reveal().c_str());
  }
  if (config.ca_file.empty()) return;
  curl_easy_setopt(curl, CURLOPT_CAINFO, config.ca_file.c_str());
  curl_easy_setopt(curl, CURLOPT_PROXY_CAINFO, config.ca_file.c_str());
}

}  // namespace ba::http
