// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/vector_exchange.hpp"

#include <utility>

#include "worker/tools/vector/embedding_answer.hpp"
#include "worker/tools/vector/embedding_request.hpp"
#include "worker/tools/vector/vector_failures.hpp"

namespace ba {

VectorExchange::VectorExchange(const VectorSearchConfig& config, Executor& executor,
                               std::function<void(RawToolResult)> done)
    : ServiceExchange(kEmbeddingService, config.response_bytes_max, executor, std::move(done)),
      config_(config) {}

void VectorExchange::start(HttpEndpoint& endpoint, VectorSource& source, const std::string& query,
                           VectorOrder order, Milliseconds timeout) {
  source_ = &source;
  order_ = std::move(order);
  timeout_ = timeout;
  ask(endpoint, embedding_request(config_, query), timeout);
}

void VectorExchange::answered(std::string body) {
  auto embedding = embedding_answer(body, config_.dimensions);
  if (!embedding)
    return finish(service_answer_invalid(kEmbeddingService, embedding.error().message));
  order_.embedding = std::move(*embedding);
  rows_ =
      source_->search(std::move(order_), timeout_, [weak = weak_from_this()](RawToolResult rows) {
        if (const auto self = weak.lock())
          static_cast<VectorExchange&>(*self).finish(std::move(rows));
      });
}

}  // namespace ba
