// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/embedding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/text/contract/base64.hpp"
#include "worker/http/url.hpp"

namespace ba::vector {
namespace {

using Json = nlohmann::json;

Error wrong(std::string what) {
  Error error;
  error.code = ErrorCode::Protocol;
  error.message = std::move(what);
  return error;
}

/// Four bytes each, whatever the order of this machine's.
std::optional<std::vector<double>> floats_in(const std::string& base64) {
  constexpr std::size_t kBytes = 4;
  const auto bytes = base64_decoded(base64);
  if (!bytes || bytes->size() % kBytes != 0) return std::nullopt;
  std::vector<double> numbers;
  for (std::size_t at = 0; at < bytes->size(); at += kBytes) {
    std::uint32_t bits = 0;
    for (std::size_t i = kBytes; i-- > 0;)
      bits = bits << 8 | static_cast<unsigned char>((*bytes)[at + i]);
    numbers.push_back(std::bit_cast<float>(bits));
  }
  return numbers;
}

std::optional<std::vector<double>> numbers_of(const Json& embedding) {
  if (embedding.is_string()) return floats_in(embedding.get_ref<const std::string&>());
  if (!embedding.is_array()) return std::nullopt;
  std::vector<double> numbers;
  for (const Json& number : embedding) {
    if (!number.is_number()) return std::nullopt;
    numbers.push_back(number.get<double>());
  }
  return numbers;
}

/// What a column of four-byte floats could not hold is none either.
bool finite(double number) { return std::abs(number) <= std::numeric_limits<float>::max(); }

}  // namespace

http::HttpEndpointConfig embedding_endpoint(const VectorSearchConfig& config) {
  http::HttpEndpointConfig endpoint =
      http_service::service_endpoint(config, http::api_url(config.base_url, "/embeddings"));
  endpoint.headers.emplace_back("Content-Type", Secret("application/json"));
  if (!config.api_key.empty())
    endpoint.headers.emplace_back("Authorization", Secret("Bearer " + config.api_key.reveal()));
  return endpoint;
}

http::HttpPost embedding_request(const VectorSearchConfig& config, const std::string& text) {
  const nlohmann::ordered_json body = {{"model", config.model}, {"input", text}};
  http::HttpPost request;
  request.body = std::make_shared<const std::string>(
      body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  return request;
}

Result<std::vector<double>> embedding_answer(std::string_view body, int dimensions) {
  if (!json_shape(body).within_limits())
    return wrong("is nested or wide beyond " + json_shape_limits());
  const Json document = Json::parse(body, nullptr, false);
  if (document.is_discarded()) return wrong("is not JSON");
  const Json::json_pointer place("/data/0/embedding");
  if (!document.contains(place)) return wrong("has no data[0].embedding");
  auto numbers = numbers_of(document.at(place));
  if (!numbers) return wrong("has a data[0].embedding that is no list of numbers");
  if (numbers->size() != static_cast<std::size_t>(dimensions))
    return wrong("has a vector of " + std::to_string(numbers->size()) + " dimensions where " +
                 std::to_string(dimensions) + " are configured");
  if (!std::ranges::all_of(*numbers, finite)) return wrong("has a number that isn't finite");
  if (std::ranges::all_of(*numbers, [](double number) { return number == 0; }))
    return wrong("has a vector of zeros, which has no direction");
  return std::move(*numbers);
}

}  // namespace ba::vector
