// SPDX-License-Identifier: Apache-2.0
#include "worker/settings/section_reader.hpp"
#include "worker/tools/search/web_search_config.hpp"

namespace ba::search {
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
  in.read("parameters", settings::MaskedTexts{own, is_secret_parameter});
  in.read("parameter_files", settings::SecretFiles{own});
  for (auto& [name, value] : own) fixed[name] = std::move(value);
}

void read_parameters(SectionReader& in, SearchParameters& parameters) {
  in.read("query_parameter", parameters.query);
  in.read("count_parameter", parameters.count);
  in.read("language_parameter", parameters.language);
  in.read("time_range_parameter", parameters.time_range);
  in.read("time_range_values", parameters.time_range_values);
  read_fixed(in, parameters.fixed);
}

void read_pointers(SectionReader& in, WebSearchConfig& search) {
  in.read("results_pointer", search.pointers.results);
  in.read("results_optional", search.results_optional);
  in.read("title_pointer", search.pointers.title);
  in.read("url_pointer", search.pointers.url);
  in.read("snippet_pointer", search.pointers.snippet);
  in.read("published_pointer", search.pointers.published);
}

void read_headers(SectionReader& in, WebSearchConfig& search) {
  in.read("headers", search.headers);
  in.read("header_files", settings::SecretFiles{search.headers});
  in.read("api_key_header", search.api_key_header);
}

void read_limits(SectionReader& in, WebSearchConfig& search) {
  in.read("title_chars_max", search.title_chars_max, {1, 10'000});
  in.read("snippet_chars_max", search.snippet_chars_max, {1, 100'000});
}

}  // namespace

void read_web_search(SectionReader& tools, WebSearchConfig& search) {
  tools.section("web_search", [&](SectionReader& in) {
    SearchPreset preset = SearchPreset::None;
    in.read("preset", preset, kSearchPresetNames);
    search = search_defaults(preset);
    http_service::read_service(in, search);
    in.read("path", search.path);
    in.read("method", search.method, kSearchMethodNames);
    read_parameters(in, search.parameters);
    read_pointers(in, search);
    read_headers(in, search);
    read_limits(in, search);
  });
}

}  // namespace ba::search
