#pragma once
// SPDX-License-Identifier: Apache-2.0
// One search under way. Control thread only.

#include "worker/tools/http_service/service_exchange.hpp"
#include "worker/tools/search/search_request.hpp"

namespace ba {

class SearchExchange final : public ServiceExchange {
 public:
  /// Both outlive the exchange.
  SearchExchange(const WebSearchConfig& config, Executor& executor,
                 std::function<void(RawToolResult)> done);

  void start(HttpEndpoint& endpoint, const SearchOrder& order, Milliseconds timeout);

 private:
  void answered(std::string body) override;

  const WebSearchConfig& config_;
  int results_max_ = 0;
};

}  // namespace ba
