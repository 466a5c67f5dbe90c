#pragma once
// SPDX-License-Identifier: Apache-2.0
// One search under way: the embedding of its query by HTTP, then the rows of the data source, which
// go when the run does. Control thread only.

#include <memory>
#include <string>

#include "worker/tools/http_service/service_exchange.hpp"
#include "worker/tools/vector/vector_source.hpp"

namespace ba {

class VectorExchange final : public ServiceExchange {
 public:
  /// Both outlive the exchange.
  VectorExchange(const VectorSearchConfig& config, Executor& executor,
                 std::function<void(RawToolResult)> done);

  /// `order` lacks its embedding still. The endpoint and the source outlive the exchange.
  void start(HttpEndpoint& endpoint, VectorSource& source, const std::string& query,
             VectorOrder order, Milliseconds timeout);

 private:
  void answered(std::string body) override;
  void stop_work() override { rows_.reset(); }

  const VectorSearchConfig& config_;
  VectorSource* source_ = nullptr;
  VectorOrder order_;
  Milliseconds timeout_{0};
  std::unique_ptr<ToolRun> rows_;
};

}  // namespace ba
