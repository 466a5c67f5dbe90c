// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/search/search_request.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/semantic/normal_url.hpp"
#include "worker/http/http_header.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

/// A fixed parameter in a JSON body.
Json literal(const std::string& text) {
  Json value = parse_exact<Json>(text);
  if (is_any_number(value) || value.is_boolean()) return value;
  return text;
}

std::string api_name(const SearchParameters& names, const std::string& time_range) {
  const auto found = names.time_range_values.find(time_range);
  return found == names.time_range_values.end() ? time_range : found->second;
}

/// Fixed ones first, so that requests are alike from the front.
Json all_parameters(const WebSearchConfig& config, const SearchOrder& order) {
  const SearchParameters& names = config.parameters;
  const bool posts = config.method == SearchMethod::Post;
  Json all = Json::object();
  for (const auto& [name, value] : names.fixed) all[name] = posts ? literal(value) : Json(value);
  all[names.query] = order.query;
  if (!names.count.empty()) all[names.count] = order.results_max;
  if (!names.language.empty() && order.language) all[names.language] = *order.language;
  if (!names.time_range.empty() && order.time_range)
    all[names.time_range] = api_name(names, *order.time_range);
  return all;
}

std::string url_query(const Json& parameters) {
  std::string out;
  for (const auto& [name, value] : parameters.items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : dump_exact(value);
    out += (out.empty() ? "" : "&") + percent_encoded(name) + "=" + percent_encoded(text);
  }
  return out;
}

}  // namespace

HttpEndpointConfig search_endpoint(const WebSearchConfig& config) {
  std::string url = config.base_url;
  while (!config.path.empty() && url.ends_with('/')) url.pop_back();
  HttpEndpointConfig endpoint = service_endpoint(config, url + config.path);
  if (config.method == SearchMethod::Post)
    endpoint.headers.emplace_back("Content-Type", Secret("application/json"));
  for (const auto& [name, value] : config.headers) endpoint.headers.emplace_back(name, value);
  const bool bearer = same_header_name(config.api_key_header, "Authorization");
  if (!config.api_key.empty())
    endpoint.headers.emplace_back(config.api_key_header,
                                  Secret((bearer ? "Bearer " : "") + config.api_key.reveal()));
  return endpoint;
}

HttpPost search_request(const WebSearchConfig& config, const SearchOrder& order) {
  const Json parameters = all_parameters(config, order);
  HttpPost request;
  if (config.method == SearchMethod::Get) {
    request.method = HttpMethod::Get;
    request.query = url_query(parameters);
  } else {
    request.body = std::make_shared<const std::string>(dump_exact(parameters));
  }
  return request;
}

}  // namespace ba
