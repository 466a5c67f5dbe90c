// SPDX-License-Identifier: Apache-2.0
#include "worker/search/web_search_config.hpp"

#include <algorithm>
#include <string_view>

#include "worker/llm/url.hpp"

namespace ba {
namespace {

constexpr std::string_view kTimeRanges[] = {"day", "week", "month", "year"};

bool header_name(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::ranges::all_of(name, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != kMarks.npos;
  });
}

bool header_value(std::string_view text) {
  return std::ranges::none_of(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
}

/// RFC 6901: empty, or parts after "/" each, in which "~" is followed by 0 or 1.
bool json_pointer(std::string_view text) {
  if (!text.empty() && text[0] != '/') return false;
  for (std::size_t at = text.find('~'); at != text.npos; at = text.find('~', at + 1))
    if (at + 1 >= text.size() || (text[at + 1] != '0' && text[at + 1] != '1')) return false;
  return true;
}

class Checks {
 public:
  explicit Checks(std::vector<std::string>& problems) : problems_(problems) {}

  void expect(bool good, const std::string& key, const std::string& value,
              const std::string& allowed) {
    if (!good) problems_.push_back("tools.web_search." + key + ": " + value + " is not " + allowed);
  }

  void within(const char* key, std::int64_t value, Bounds bounds) {
    expect(bounds.hold(value), key, std::to_string(value), bounds.text());
  }

  void pointer(const char* key, const std::string& value, bool may_be_empty) {
    expect(json_pointer(value) && (may_be_empty || !value.empty()), key, "'" + value + "'",
           "a JSON pointer such as /web/results");
  }

 private:
  std::vector<std::string>& problems_;
};

void check_address(Checks& checks, const WebSearchConfig& config) {
  constexpr const char* kUrl =
      "http(s)://host[:port][/path] without a user, a query or a fragment; a key belongs in "
      "api_key, headers or parameters";
  checks.expect(is_http_url(config.base_url), "base_url", "'" + shown_url(config.base_url) + "'",
                kUrl);
  const bool path = config.path.empty() || config.path[0] == '/';
  checks.expect(path && is_http_url("http://h" + config.path), "path", "'" + config.path + "'",
                "a path that begins with / and has neither ? nor #");
  checks.expect(config.proxy.empty() || is_http_url(config.proxy), "proxy",
                "'" + shown_url(config.proxy) + "'", "http(s)://host:port");
}

void check_parameters(Checks& checks, const SearchParameters& parameters) {
  checks.expect(!parameters.query.empty(), "query_parameter", "''",
                "the name of the parameter that has what is searched for");
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

void check_pointers(Checks& checks, const SearchPointers& pointers) {
  checks.pointer("results_pointer", pointers.results, true);
  checks.pointer("title_pointer", pointers.title, true);
  checks.pointer("url_pointer", pointers.url, false);
  checks.pointer("snippet_pointer", pointers.snippet, true);
  checks.pointer("published_pointer", pointers.published, true);
}

void check_headers(Checks& checks, const WebSearchConfig& config) {
  constexpr const char* kValue = "one line of text";
  for (const auto& [name, value] : config.headers) {
    checks.expect(header_name(name), "headers", "'" + name + "'", "a header's name");
    checks.expect(header_value(value.reveal()), "headers." + name, "***", kValue);
    checks.expect(config.api_key.empty() || !same_header_name(name, config.api_key_header),
                  "headers", "'" + name + "'",
                  "to be set here: it is api_key_header, and has the api_key");
  }
  checks.expect(header_name(config.api_key_header), "api_key_header",
                "'" + config.api_key_header + "'", "a header's name");
  checks.expect(header_value(config.api_key.reveal()), "api_key", "***", kValue);
}

void check_limits(Checks& checks, const WebSearchConfig& config) {
  checks.within("timeout_ms", config.timeout.count(), search_bounds::kTimeoutMs);
  checks.within("connect_timeout_ms", config.connect_timeout.count(),
                search_bounds::kConnectTimeoutMs);
  checks.within("response_bytes_max", config.response_bytes_max, search_bounds::kResponseBytesMax);
  checks.within("concurrency_max", config.concurrency_max, search_bounds::kConcurrencyMax);
  checks.within("title_chars_max", config.title_chars_max, search_bounds::kTitleCharsMax);
  checks.within("snippet_chars_max", config.snippet_chars_max, search_bounds::kSnippetCharsMax);
}

}  // namespace

bool same_header_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::equal(a, b, {}, lower, lower);
}

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

std::vector<std::string> validate(const WebSearchConfig& config) {
  std::vector<std::string> problems;
  if (config.base_url.empty()) return problems;
  Checks checks(problems);
  check_address(checks, config);
  check_parameters(checks, config.parameters);
  check_pointers(checks, config.pointers);
  check_headers(checks, config);
  check_limits(checks, config);
  return problems;
}

}  // namespace ba
