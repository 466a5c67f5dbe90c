// SPDX-License-Identifier: Apache-2.0
#include "worker/vector/vector_exchange.hpp"

#include <utility>

#include "pipeline/tool/observation.hpp"
#include "worker/llm/llm_retry.hpp"
#include "worker/vector/embedding_answer.hpp"
#include "worker/vector/embedding_request.hpp"
#include "worker/vector/vector_failures.hpp"

namespace ba {

VectorExchange::VectorExchange(const VectorSearchConfig& config, Executor& executor,
                               std::function<void(RawToolResult)> done)
    : config_(config), executor_(executor), done_(std::move(done)) {}

void VectorExchange::start(HttpEndpoint& endpoint, VectorSource& source, const std::string& query,
                           VectorOrder order, Milliseconds timeout) {
  source_ = &source;
  order_ = std::move(order);
  timeout_ = timeout;
  limit_ = executor_.after(timeout, [weak = weak_from_this(), timeout] {
    RawToolResult late;
    late.error = timeout_error(timeout);
    if (const auto self = weak.lock()) self->finish(std::move(late));
  });
  call_ = endpoint.post(embedding_request(config_, query), *this);
}

void VectorExchange::answer_soon(RawToolResult result) {
  executor_.post([weak = weak_from_this(), result = std::move(result)] {
    if (const auto self = weak.lock()) self->finish(result);
  });
}

void VectorExchange::on_head(HttpHead head) {
  status_ = head.status;
  asked_wait_ = asked_wait(head);
}

/// What an error says isn't wanted: its status is enough.
HttpNext VectorExchange::on_body(std::string_view piece) {
  if (status_ < 200 || status_ > 299) return HttpNext::Complete;
  body_ += piece;
  return HttpNext::More;
}

/// Told from inside the HTTP client, where its endpoint could not be destroyed.
void VectorExchange::on_end(HttpEnd end) {
  executor_.post([weak = weak_from_this(), end = std::move(end)] {
    if (const auto self = weak.lock()) self->embedded(end);
  });
}

void VectorExchange::embedded(const HttpEnd& end) {
  if (!done_) return;
  if (!end.result) return finish(embedding_failure(end.result.error(), config_));
  if (status_ < 200 || status_ > 299) return finish(embedding_failure(status_, asked_wait_));
  auto embedding = embedding_answer(body_, config_.dimensions);
  if (!embedding) return finish(embedding_invalid(embedding.error().message));
  call_.reset();
  body_.clear();
  order_.embedding = std::move(*embedding);
  rows_ =
      source_->search(std::move(order_), timeout_, [weak = weak_from_this()](RawToolResult rows) {
        if (const auto self = weak.lock()) self->finish(std::move(rows));
      });
}

/// Whoever is told may destroy the run, and the tool after it: request and statement go first.
void VectorExchange::finish(RawToolResult result) {
  const auto done = std::exchange(done_, nullptr);
  if (!done) return;
  call_.reset();
  rows_.reset();
  limit_.reset();
  done(std::move(result));
}

}  // namespace ba
