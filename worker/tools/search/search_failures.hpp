#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a search that failed says of its service. Constants.

#include "worker/tools/http_service/service_failures.hpp"

namespace ba {

inline constexpr ServiceName kSearchService{
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

}  // namespace ba
