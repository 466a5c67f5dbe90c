#pragma once
// SPDX-License-Identifier: Apache-2.0
// What can be configured of the tool `web_search`, section `tools.web_search`: which HTTP search
// API is asked, how a request says what is wanted, and where an answer has it. Values, which
// web_search_section reads.

#include <map>
#include <string>
#include <vector>

#include "pipeline/base/enum_names.hpp"
#include "worker/tools/http_service/service_config.hpp"

namespace ba::settings {
class SectionReader;
}  // namespace ba::settings

namespace ba::search {

/// What the other settings are unless they say something else.
enum class SearchPreset { None, Searxng };
inline constexpr EnumNames<SearchPreset, 2> kSearchPresetNames{
    {{SearchPreset::None, "none"}, {SearchPreset::Searxng, "searxng"}}};

enum class SearchMethod { Get, Post };
inline constexpr EnumNames<SearchMethod, 2> kSearchMethodNames{
    {{SearchMethod::Get, "get"}, {SearchMethod::Post, "post"}}};

/// How a request says what is wanted: as parameters of the URL's query (get), or as members of a
/// JSON object (post). A name that is empty is not sent, and what it would say isn't offered.
struct SearchParameters {
  std::string query = "q";
  std::string count;
  std::string language;
  std::string time_range;
  std::map<std::string, std::string> time_range_values;  ///< day, week, … as the API calls them
  std::map<std::string, std::string> fixed;              ///< sent with every request; may be SECRET

  friend bool operator==(const SearchParameters&, const SearchParameters&) = default;
};

/// Where an answer has what is wanted: JSON pointers (RFC 6901), those of the fields from a result.
struct SearchPointers {
  std::string results = "/results";
  std::string title = "/title";
  std::string url = "/url";
  std::string snippet = "/snippet";
  std::string published;  ///< empty: there is none

  friend bool operator==(const SearchPointers&, const SearchPointers&) = default;
};

struct WebSearchConfig : http_service::ServiceConfig {
  std::string path;  ///< follows base_url
  SearchMethod method = SearchMethod::Get;
  SearchParameters parameters;
  SearchPointers pointers;
  bool results_optional = false;  ///< an answer without the list says that nothing was found
  std::map<std::string, Secret> headers;
  std::string api_key_header = "Authorization";  ///< has "Bearer KEY"; any other one: the key alone
  int title_chars_max = 200;
  int snippet_chars_max = 1000;

  friend bool operator==(const WebSearchConfig&, const WebSearchConfig&) = default;
};

/// The defaults for an API: of none, as above.
WebSearchConfig search_defaults(SearchPreset preset);

/// `tools`: the section around it.
void read_web_search(settings::SectionReader& tools, WebSearchConfig& search);

/// What is wrong, but for the bounds of single numbers. Empty: all is well, or the tool is off.
std::vector<SettingProblem> validate(const WebSearchConfig& config);

}  // namespace ba::search
