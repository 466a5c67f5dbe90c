#pragma once
// SPDX-License-Identifier: Apache-2.0
// A search as an HTTP request of the configured API. Pure; any thread.

#include <optional>
#include <string>

#include "worker/http/http_client.hpp"
#include "worker/tools/search/web_search_config.hpp"

namespace ba {

struct SearchOrder {
  std::string query;
  int results_max = 10;
  std::optional<std::string> language;
  std::optional<std::string> time_range;  ///< day, week, month, year

  friend bool operator==(const SearchOrder&, const SearchOrder&) = default;
};

/// Where requests go, and what each has beside its parameters.
HttpEndpointConfig search_endpoint(const WebSearchConfig& config);

/// get: parameters in the query of the URL. post: a JSON object; of the fixed ones, a number, true
/// and false are sent as such.
HttpPost search_request(const WebSearchConfig& config, const SearchOrder& order);

}  // namespace ba
