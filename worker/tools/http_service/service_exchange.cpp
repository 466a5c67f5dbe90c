// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/http_service/service_exchange.hpp"

#include <utility>

#include "pipeline/core/tool/observation.hpp"
#include "worker/http/retry_wait.hpp"

namespace ba {

ServiceExchange::ServiceExchange(const ServiceName& name, std::int64_t answer_bytes_max,
                                 Executor& executor, std::function<void(RawToolResult)> done)
    : name_(name),
      answer_bytes_max_(answer_bytes_max),
      executor_(executor),
      done_(std::move(done)) {}

void ServiceExchange::ask(HttpEndpoint& endpoint, HttpPost request, Milliseconds timeout) {
  limit_ = executor_.after(timeout, [weak = weak_from_this(), timeout] {
    RawToolResult late;
    late.error = timeout_error(timeout);
    if (const auto self = weak.lock()) self->finish(std::move(late));
  });
  call_ = endpoint.post(std::move(request), *this);
}

void ServiceExchange::answer_soon(RawToolResult result) {
  executor_.post([weak = weak_from_this(), result = std::move(result)] {
    if (const auto self = weak.lock()) self->finish(result);
  });
}

void ServiceExchange::on_head(HttpHead head) {
  status_ = head.status;
  asked_wait_ = asked_wait(head);
}

/// What an error says isn't wanted: its status is enough.
HttpNext ServiceExchange::on_body(std::string_view piece) {
  if (!succeeded()) return HttpNext::Complete;
  body_ += piece;
  return HttpNext::More;
}

/// Told from inside the HTTP client, where its endpoint could not be destroyed.
void ServiceExchange::on_end(HttpEnd end) {
  executor_.post([weak = weak_from_this(), end = std::move(end)] {
    if (const auto self = weak.lock()) self->ended(end);
  });
}

void ServiceExchange::ended(const HttpEnd& end) {
  if (!done_) return;
  if (!end.result) return finish(service_failure(name_, end.result.error(), answer_bytes_max_));
  if (!succeeded()) return finish(service_failure(name_, status_, asked_wait_));
  call_.reset();
  answered(std::exchange(body_, {}));
}

void ServiceExchange::finish(RawToolResult result) {
  const auto done = std::exchange(done_, nullptr);
  if (!done) return;
  call_.reset();
  stop_work();
  limit_.reset();
  done(std::move(result));
}

}  // namespace ba
