// SPDX-License-Identifier: Apache-2.0
#pragma once
// A search as an HTTP request of the configured API, and its answer as the tool's result:
// [{"title","url","snippet","published"?}], with a note where there are more. Pure; any thread.

#include <optional>
#include <string>

#include "pipeline/core/tool/tool.hpp"
#include "worker/http/http_client.hpp"
#include "worker/tools/http_service/service_exchange.hpp"
#include "worker/tools/search/web_search_config.hpp"

namespace ba::search {

struct SearchOrder {
  std::string query;
  int results_max = 10;
  std::optional<std::string> language;
  std::optional<std::string> time_range;  ///< day, week, month, year

  friend bool operator==(const SearchOrder&, const SearchOrder&) = default;
};

/// Where requests go, and what each has beside its parameters.
http::HttpEndpointConfig search_endpoint(const WebSearchConfig& config);

/// get: parameters in the query of the URL. post: a JSON object; of the fixed ones, a number, true
/// and false are sent as such.
http::HttpPost search_request(const WebSearchConfig& config, const SearchOrder& order);

/// What a search that failed says of its service.
inline constexpr http_service::ServiceName kSearchService{
    .code = "SEARCH",
    .service = "the search service",
    .section = "tools.web_search",
    .calls = "searches",
    .refused =
        "it refuses this search: change query, language or time_range. If it refuses every "
        "search, an operator must check the parameters in {section}",
    .key =
        "an operator must mend the credentials (api_key or headers in {section}), or let this "
        "client in; of SearxNG, search.formats must have json",
    .wrong_address = "an operator must check base_url, path and method in {section}",
    .too_large = "Ask for fewer results; or an operator must raise {section}.response_bytes_max",
    .invalid = "An operator must check base_url, path, parameters and the pointers in {section}",
};

/// At most `results_max` of the results, and a note where the answer has more. A result without a
/// URL is left out; a title or a snippet that is none is "". Anything that isn't what the
/// configuration says is an error. `body` may be of any bytes.
RawToolResult search_answer(std::string body, const WebSearchConfig& config, int results_max);

}  // namespace ba::search
