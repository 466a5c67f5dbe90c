// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/search/web_search_config.hpp"

#include <algorithm>
#include <string_view>

#include "worker/http/http_client.hpp"
#include "worker/http/url.hpp"

namespace ba::search {
namespace {

constexpr std::string_view kTimeRanges[] = {"day", "week", "month", "year"};

/// RFC 6901: empty, or parts after "/" each, in which "~" is followed by 0 or 1.
bool json_pointer(std::string_view text) {
  if (!text.empty() && text[0] != '/') return false;
  for (std::size_t at = text.find('~'); at != text.npos; at = text.find('~', at + 1))
    if (at + 1 >= text.size() || (text[at + 1] != '0' && text[at + 1] != '1')) return false;
  return true;
}

void check_address(KeyChecks& checks, const WebSearchConfig& config) {
  constexpr const char* kUrl =
      "http(s)://host[:port][/path] without a user, a query or a fragment; a key belongs in "
      "api_key, headers or parameters";
  checks.expect(http::is_http_url(config.base_url), "base_url",
                "'" + http::shown_url(config.base_url) + "'", kUrl);
  const bool path = config.path.empty() || config.path[0] == '/';
  checks.expect(path && http::is_http_url("http://h" + config.path), "path",
                "'" + config.path + "'", "a path that begins with / and has neither ? nor #");
}

void check_parameters(KeyChecks& checks, const SearchParameters& parameters) {
  checks.expect(!parameters.query.empty(), "query_parameter", "''",
                "the name of the parameter with the query");
  std::map<std::string, std::string> taken;  // names, with the keys they come from
  for (const auto& [name, unused] : parameters.fixed) taken[name] = "parameters";
  const auto take = [&](const std::string& key, const std::string& name) {
    if (name.empty()) return;
    const auto [place, added] = taken.emplace(name, key);
    checks.expect(added, key, "'" + name + "'",
                  "a name of its own: " + place->second + " has it too");
  };
  take("query_parameter", parameters.query);
  take("count_parameter", parameters.count);
  take("language_parameter", parameters.language);
  take("time_range_parameter", parameters.time_range);
  for (const auto& [name, unused] : parameters.time_range_values)
    checks.expect(std::ranges::find(kTimeRanges, name) != std::end(kTimeRanges),
                  "time_range_values", "'" + name + "'", "one of day, week, month, year");
}

void check_pointer(KeyChecks& checks, const char* key, const std::string& value,
                   bool may_be_empty = false) {
  checks.expect(json_pointer(value) && (may_be_empty || !value.empty()), key, "'" + value + "'",
                "a JSON pointer such as /web/results");
}

void check_pointers(KeyChecks& checks, const SearchPointers& pointers) {
  check_pointer(checks, "results_pointer", pointers.results, true);
  check_pointer(checks, "title_pointer", pointers.title, true);
  check_pointer(checks, "url_pointer", pointers.url, false);
  check_pointer(checks, "snippet_pointer", pointers.snippet, true);
  check_pointer(checks, "published_pointer", pointers.published, true);
}

void check_headers(KeyChecks& checks, const WebSearchConfig& config) {
  constexpr const char* kValue = "one line of text";
  for (const auto& [name, value] : config.headers) {
    checks.expect(http::is_header_name(name), "headers", "'" + name + "'", "a header's name");
    checks.expect(http::is_header_value(value.reveal()), "headers." + name,
                  std::string(value.masked()), kValue);
    checks.expect(config.api_key.empty() || !http::same_header_name(name, config.api_key_header),
                  "headers", "'" + name + "'",
                  "to be set here: it is api_key_header, and has the api_key");
  }
  checks.expect(http::is_header_name(config.api_key_header), "api_key_header",
                "'" + config.api_key_header + "'", "a header's name");
}

}  // namespace

WebSearchConfig search_defaults(SearchPreset preset) {
  WebSearchConfig config;
  if (preset == SearchPreset::None) return config;
  // https://docs.searxng.org/dev/search_api.html; it has no parameter for a count.
  config.path = "/search";
  config.parameters.language = "language";
  config.parameters.time_range = "time_range";
  config.parameters.fixed = {{"format", "json"}};
  config.pointers.snippet = "/content";
  config.pointers.published = "/publishedDate";
  return config;
}

std::vector<SettingProblem> validate(const WebSearchConfig& config) {
  std::vector<SettingProblem> problems;
  if (config.base_url.empty()) return problems;
  KeyChecks checks(problems, "tools.web_search");
  check_address(checks, config);
  check_parameters(checks, config.parameters);
  check_pointers(checks, config.pointers);
  check_headers(checks, config);
  http_service::check_service(checks, config);
  return problems;
}

}  // namespace ba::search
