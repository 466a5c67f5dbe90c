// SPDX-License-Identifier: Apache-2.0
#include "worker/config/web_search_section.hpp"

#include "worker/config/service_section.hpp"

namespace ba {
namespace {

using settings::SectionReader;

/// Of a fixed parameter by its name: some APIs take their key in the URL.
bool is_secret_parameter(std::string_view name) {
  for (const std::string_view word : {"key", "token", "secret", "password"})
    if (name.find(word) != name.npos) return true;
  return false;
}

/// Beside those that the preset has.
void read_fixed(SectionReader& in, std::map<std::string, std::string>& fixed) {
  std::map<std::string, std::string> own;
  in.secret_map("parameters", own, is_secret_parameter);
  in.secret_files("parameter_files", own);
  for (auto& [name, value] : own) fixed[name] = std::move(value);
}

void read_parameters(SectionReader& in, SearchParameters& parameters) {
  in.text("query_parameter", parameters.query);
  in.text("count_parameter", parameters.count);
  in.text("language_parameter", parameters.language);
  in.text("time_range_parameter", parameters.time_range);
  in.text_map("time_range_values", parameters.time_range_values);
  read_fixed(in, parameters.fixed);
}

void read_pointers(SectionReader& in, WebSearchConfig& search) {
  in.text("results_pointer", search.pointers.results);
  in.boolean("results_optional", search.results_optional);
  in.text("title_pointer", search.pointers.title);
  in.text("url_pointer", search.pointers.url);
  in.text("snippet_pointer", search.pointers.snippet);
  in.text("published_pointer", search.pointers.published);
}

void read_headers(SectionReader& in, WebSearchConfig& search) {
  std::map<std::string, std::string> headers;
  in.secret_map("headers", headers, [](std::string_view) { return true; });
  in.secret_files("header_files", headers);
  for (auto& [name, value] : headers) search.headers[name] = Secret(std::move(value));
  in.text("api_key_header", search.api_key_header);
}

void read_limits(SectionReader& in, WebSearchConfig& search) {
  namespace bounds = search_bounds;
  in.number("title_chars_max", search.title_chars_max, bounds::kTitleCharsMax);
  in.number("snippet_chars_max", search.snippet_chars_max, bounds::kSnippetCharsMax);
}

}  // namespace

void read_web_search(SectionReader& tools, WebSearchConfig& search) {
  tools.section("web_search", [&](SectionReader& in) {
    SearchPreset preset = SearchPreset::None;
    in.choice("preset", preset, kSearchPresetNames);
    search = search_defaults(preset);
    settings::read_service(in, search);
    in.text("path", search.path);
    in.choice("method", search.method, kSearchMethodNames);
    read_parameters(in, search.parameters);
    read_pointers(in, search);
    read_headers(in, search);
    read_limits(in, search);
  });
}

}  // namespace ba
