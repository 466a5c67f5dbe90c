// SPDX-License-Identifier: Apache-2.0
#include "worker/vector/embedding_request.hpp"

#include <nlohmann/json.hpp>

#include "worker/llm/url.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kLong = std::chrono::hours(25);  // time is kept by the exchange
constexpr int kQueueMax = 1000;

}  // namespace

HttpEndpointConfig embedding_endpoint(const VectorSearchConfig& config) {
  HttpEndpointConfig endpoint;
  endpoint.url = api_url(config.base_url, "/embeddings");
  endpoint.headers.emplace_back("Accept", Secret("application/json"));
  endpoint.headers.emplace_back("Content-Type", Secret("application/json"));
  if (!config.api_key.empty())
    endpoint.headers.emplace_back("Authorization", Secret("Bearer " + config.api_key.reveal()));
  endpoint.connect_timeout = config.connect_timeout;
  endpoint.first_byte_timeout = endpoint.idle_timeout = endpoint.total_timeout = kLong;
  endpoint.reply_bytes_max = config.response_bytes_max;
  endpoint.concurrency_max = config.concurrency_max;
  endpoint.queue_max = kQueueMax;
  endpoint.compression = true;
  endpoint.proxy = config.proxy;
  endpoint.ca_file = config.ca_file;
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
