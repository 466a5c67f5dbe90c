// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/search/search_request.hpp"

#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/core/tool/output_level.hpp"
#include "pipeline/core/tool/repair_utf8.hpp"
#include "pipeline/text/semantic/normal_url.hpp"
#include "worker/http/http_client.hpp"

namespace ba::search {
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

/// The UTF-16 unit of an escape (backslash, u, four digits) at `at`; none: there is no such escape.
std::optional<unsigned> escaped_unit(std::string_view text, std::size_t at) {
  constexpr std::size_t kLength = 6;
  if (text.substr(at, 2) != "\\u" || text.size() - at < kLength) return std::nullopt;
  unsigned unit = 0;
  const char* const end = text.data() + at + kLength;
  if (std::from_chars(text.data() + at + 2, end, unit, 16).ptr != end) return std::nullopt;
  return unit;
}

/// Replaces halves of surrogate pairs, for which a parser would refuse the whole text: services cut
/// snippets in the middle of a character.
void repair_escapes(std::string& json) {
  const auto within = [](std::optional<unsigned> unit, unsigned first) {
    return unit && *unit >= first && *unit < first + 0x400;
  };
  for (std::size_t at = json.find('\\'); at < json.size(); at = json.find('\\', at)) {
    const auto unit = escaped_unit(json, at);
    const bool pair = within(unit, 0xd800) && within(escaped_unit(json, at + 6), 0xdc00);
    if (!pair && (within(unit, 0xd800) || within(unit, 0xdc00))) json.replace(at, 6, "\\ufffd");
    at += pair ? 12 : unit ? 6 : 2;
  }
}

/// What `pointer`, which is valid, names; null where there is no such thing.
const Json* at(const Json& value, const std::string& pointer) {
  const Json::json_pointer place(pointer);
  return value.contains(place) ? &value.at(place) : nullptr;
}

std::optional<std::string> text_at(const Json& item, const std::string& pointer) {
  const Json* value = pointer.empty() ? nullptr : at(item, pointer);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  std::string text = value->get<std::string>();
  repair_utf8(text);  // "\u0000"
  return text;
}

std::string cut_text_at(const Json& item, const std::string& pointer, int chars_max) {
  return cut_code_points(text_at(item, pointer).value_or(""), static_cast<std::size_t>(chars_max));
}

/// None where it has no URL, without which it is of no use.
std::optional<Json> result_of(const Json& item, const WebSearchConfig& config) {
  auto url = text_at(item, config.pointers.url);
  if (!url || url->empty()) return std::nullopt;
  Json result = {{"title", cut_text_at(item, config.pointers.title, config.title_chars_max)},
                 {"url", std::move(*url)},
                 {"snippet", cut_text_at(item, config.pointers.snippet, config.snippet_chars_max)}};
  std::string published = cut_text_at(item, config.pointers.published, config.title_chars_max);
  if (!published.empty()) result["published"] = std::move(published);
  return result;
}

RawToolResult succeeded_with(const Json& results, std::string note) {
  RawToolResult result;
  result.data = dump_exact(results);
  result.note = std::move(note);
  return result;
}

RawToolResult results_of(const Json& list, const WebSearchConfig& config, int results_max) {
  Json results = Json::array();
  bool truncated = false;
  for (const Json& item : list) {
    auto result = result_of(item, config);
    if (!result) continue;
    truncated = results.size() == static_cast<std::size_t>(results_max);
    if (truncated) break;
    results.push_back(std::move(*result));
  }
  if (results.empty() && !list.empty())
    return http_service::service_answer_invalid(
        kSearchService, "has no text at url_pointer (" + config.pointers.url + ") in any of its " +
                            std::to_string(list.size()) + " results");
  std::string note;
  if (truncated)
    note = "Only the first " + std::to_string(results.size()) +
           (results.size() == 1 ? " result" : " results") + "; the search found more.";
  return succeeded_with(results, std::move(note));
}

}  // namespace

http::HttpEndpointConfig search_endpoint(const WebSearchConfig& config) {
  std::string url = config.base_url;
  while (!config.path.empty() && url.ends_with('/')) url.pop_back();
  http::HttpEndpointConfig endpoint = http_service::service_endpoint(config, url + config.path);
  if (config.method == SearchMethod::Post)
    endpoint.headers.emplace_back("Content-Type", Secret("application/json"));
  for (const auto& [name, value] : config.headers) endpoint.headers.emplace_back(name, value);
  const bool bearer = http::same_header_name(config.api_key_header, "Authorization");
  if (!config.api_key.empty())
    endpoint.headers.emplace_back(config.api_key_header,
                                  Secret((bearer ? "Bearer " : "") + config.api_key.reveal()));
  return endpoint;
}

http::HttpPost search_request(const WebSearchConfig& config, const SearchOrder& order) {
  const Json parameters = all_parameters(config, order);
  http::HttpPost request;
  if (config.method == SearchMethod::Get) {
    request.method = http::HttpMethod::Get;
    request.query = url_query(parameters);
  } else {
    request.body = std::make_shared<const std::string>(dump_exact(parameters));
  }
  return request;
}

RawToolResult search_answer(std::string body, const WebSearchConfig& config, int results_max) {
  repair_utf8(body);
  repair_escapes(body);
  if (!json_shape(body).within_limits())
    return http_service::service_answer_invalid(kSearchService,
                                                "is nested or wide beyond " + json_shape_limits());
  const Json document = parse_exact<Json>(body);
  if (document.is_discarded())
    return http_service::service_answer_invalid(kSearchService, "is not JSON");
  const Json* list = at(document, config.pointers.results);
  const bool missing = list == nullptr || list->is_null();
  if (missing && config.results_optional && document.is_object())
    return succeeded_with(Json::array(), "");
  if (missing || !list->is_array())
    return http_service::service_answer_invalid(
        kSearchService, "has no list at results_pointer (" + config.pointers.results + ")");
  return results_of(*list, config, results_max);
}

}  // namespace ba::search
