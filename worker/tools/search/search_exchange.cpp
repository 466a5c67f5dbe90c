// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/search/search_exchange.hpp"

#include <utility>

#include "worker/tools/search/search_answer.hpp"
#include "worker/tools/search/search_failures.hpp"

namespace ba {

SearchExchange::SearchExchange(const WebSearchConfig& config, Executor& executor,
                               std::function<void(RawToolResult)> done)
    : ServiceExchange(kSearchService, config.response_bytes_max, executor, std::move(done)),
      config_(config) {}

void SearchExchange::start(HttpEndpoint& endpoint, const SearchOrder& order, Milliseconds timeout) {
  results_max_ = order.results_max;
  ask(endpoint, search_request(config_, order), timeout);
}

void SearchExchange::answered(std::string body) {
  finish(search_answer(std::move(body), config_, results_max_));
}

}  // namespace ba
