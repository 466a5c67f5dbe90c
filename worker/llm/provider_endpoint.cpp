// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/provider_endpoint.hpp"

namespace ba {

HttpEndpointConfig provider_endpoint(const ProviderConfig& provider, std::string url,
                                     HttpHeaders headers) {
  HttpEndpointConfig config;
  config.url = std::move(url);
  config.headers = std::move(headers);
  config.connect_timeout = provider.timeouts.connect;
  config.proxy = provider.proxy;
  config.proxy_user = provider.proxy_user;
  config.proxy_password = provider.proxy_password;
  config.ca_file = provider.ca_file;
  return config;
}

}  // namespace ba
