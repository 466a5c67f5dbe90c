// SPDX-License-Identifier: Apache-2.0
#include "worker/search/search_exchange.hpp"

#include <utility>

#include "pipeline/tool/observation.hpp"
#include "worker/llm/llm_retry.hpp"
#include "worker/search/search_answer.hpp"
#include "worker/search/search_failures.hpp"

namespace ba {

SearchExchange::SearchExchange(const WebSearchConfig& config, Executor& executor,
                               std::function<void(RawToolResult)> done)
    : config_(config), executor_(executor), done_(std::move(done)) {}

void SearchExchange::start(HttpEndpoint& endpoint, const SearchOrder& order, Milliseconds timeout) {
  results_max_ = order.results_max;
  limit_ = executor_.after(timeout, [weak = weak_from_this(), timeout] {
    RawToolResult late;
    late.error = timeout_error(timeout);
    if (const auto self = weak.lock()) self->finish(std::move(late));
  });
  call_ = endpoint.post(search_request(config_, order), *this);
}

void SearchExchange::answer_soon(RawToolResult result) {
  executor_.post([weak = weak_from_this(), result = std::move(result)] {
    if (const auto self = weak.lock()) self->finish(result);
  });
}

void SearchExchange::on_head(HttpHead head) {
  status_ = head.status;
  asked_wait_ = asked_wait(head);
}

/// What an error says isn't wanted: its status is enough.
HttpNext SearchExchange::on_body(std::string_view piece) {
  if (status_ < 200 || status_ > 299) return HttpNext::Complete;
  body_ += piece;
  return HttpNext::More;
}

/// Told from inside the HTTP client, where its endpoint could not be destroyed.
void SearchExchange::on_end(HttpEnd end) {
  executor_.post([weak = weak_from_this(), end = std::move(end)] {
    if (const auto self = weak.lock()) self->ended(end);
  });
}

void SearchExchange::ended(const HttpEnd& end) {
  if (!end.result) return finish(search_failure(end.result.error(), config_));
  if (status_ < 200 || status_ > 299) return finish(search_failure(status_, asked_wait_));
  finish(search_answer(std::move(body_), config_, results_max_));
}

/// Whoever is told may destroy the run, and the tool after it: the request goes first.
void SearchExchange::finish(RawToolResult result) {
  const auto done = std::exchange(done_, nullptr);
  if (!done) return;
  call_.reset();
  done(std::move(result));
}

}  // namespace ba
