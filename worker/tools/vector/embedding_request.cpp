// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/embedding_request.hpp"

#include <nlohmann/json.hpp>

#include "worker/http/url.hpp"

namespace ba {
using Json = nlohmann::ordered_json;

HttpEndpointConfig embedding_endpoint(const VectorSearchConfig& config) {
  HttpEndpointConfig endpoint = service_endpoint(config, api_url(config.base_url, "/embeddings"));
  endpoint.headers.emplace_back("Content-Type", Secret("application/json"));
  if (!config.api_key.empty())
    endpoint.headers.emplace_back("Authorization", Secret("Bearer " + config.api_key.reveal()));
  return endpoint;
}

HttpPost embedding_request(const VectorSearchConfig& config, const std::string& text) {
  const Json body = {{"model", config.model}, {"input", text}};
  HttpPost request;
  request.body = std::make_shared<const std::string>(
      body.dump(-1, ' ', false, Json::error_handler_t::replace));
  return request;
}

}  // namespace ba
