// SPDX-License-Identifier: Apache-2.0
#include "worker/trace/otlp_export.hpp"

#include <utility>

#include "worker/http/retry_wait.hpp"
#include "worker/http/url.hpp"
#include "worker/trace/otlp_request.hpp"

namespace ba::trace {
namespace {

constexpr Milliseconds kBetweenWarnings{60'000};

}  // namespace

OtlpExport::OtlpExport(OtlpConfig config, TraceResource resource,
                       std::unique_ptr<http::HttpEndpoint> endpoint, SpanQueue& queue,
                       OtlpPorts ports)
    : config_(std::move(config)),
      resource_(std::move(resource)),
      endpoint_(std::move(endpoint)),
      queue_(queue),
      ports_(ports) {}

OtlpExport::~OtlpExport() { call_.reset(); }

void OtlpExport::start() { look(); }

void OtlpExport::look() {
  send_next();
  pause_ = ports_.executor.after(kPause, [this] { look(); });
}

void OtlpExport::send_next() {
  if (spans_ > 0) return;  // one batch at a time
  const std::vector<Span> batch = queue_.take(config_.batch_size);
  if (batch.empty()) return stop_draining();
  spans_ = static_cast<std::int64_t>(batch.size());
  body_ =
      std::make_shared<const std::string>(otlp_body(config_, otlp_request_of(resource_, batch)));
  tries_ = 0;
  send();
}

void OtlpExport::send() {
  ++tries_;
  retry_.reset();
  status_ = 0;
  asked_wait_.reset();
  answer_.clear();
  failure_.clear();
  http::HttpPost post;
  post.body = body_;
  call_ = endpoint_->post(std::move(post), *this);
}

void OtlpExport::on_head(http::HttpHead head) {
  status_ = head.status;
  asked_wait_ = http::asked_wait(head);
}

http::HttpNext OtlpExport::on_body(std::string_view piece) {
  answer_ += piece;
  return http::HttpNext::More;
}

void OtlpExport::on_end(http::HttpEnd end) {
  if (!end.result) failure_ = end.result.error().message;
  call_.reset();
  // Not from inside the client's own work.
  ports_.executor.post(lifetime_.guarded([this] { ended(); }));
}

void OtlpExport::ended() {
  if (spans_ == 0) return;  // given up meanwhile
  const bool heard = status_ != 0 && failure_.empty();
  if (heard && status_ >= 200 && status_ <= 299) {
    const std::int64_t rejected = std::min(spans_, rejected_spans(answer_));
    queue_.count(&SpanCounts::exported, spans_ - rejected);
    if (rejected > 0) queue_.count(&SpanCounts::dropped_refused, rejected);
    return batch_done();
  }
  if (heard && !otlp_retryable(status_))
    return give_up(&SpanCounts::dropped_refused, "answered " + std::to_string(status_));
  if (tries_ >= kTriesMax || drained_)
    return give_up(&SpanCounts::dropped_unreachable,
                   heard ? "answered " + std::to_string(status_) : failure_);
  retry_ = ports_.executor.after(otlp_retry_delay(tries_, asked_wait_, ports_.random.next()),
                                 [this] { send(); });
}

/// Said once in a while: a collector that is down is no trouble of the jobs.
void OtlpExport::give_up(SpanQueue::Counter reason, const std::string& why) {
  queue_.count(reason, spans_);
  const SteadyTime now = ports_.clock.now();
  if (warned_at_ == SteadyTime::min() || now - warned_at_ >= kBetweenWarnings) {
    warned_at_ = now;
    ports_.log.warning(
        "the trace collector did not take spans",
        {{"endpoint", http::server_of(config_.endpoint)}, {"spans", spans_}, {"reason", why}});
  }
  batch_done();
}

void OtlpExport::batch_done() {
  spans_ = 0;
  body_.reset();
  if (drained_ || queue_.size() >= config_.batch_size) send_next();
}

void OtlpExport::drain(Milliseconds patience, std::function<void()> done) {
  drained_ = std::move(done);
  pause_.reset();
  patience_ = ports_.executor.after(patience, [this] {
    call_.reset();
    retry_.reset();
    std::int64_t left = std::exchange(spans_, 0);
    left += static_cast<std::int64_t>(queue_.take(queue_.size()).size());
    queue_.count(&SpanCounts::dropped_at_end, left);
    stop_draining();
  });
  if (retry_) return send();  // its last try
  send_next();
}

void OtlpExport::stop_draining() {
  if (!drained_) return;
  patience_.reset();
  const auto done = std::exchange(drained_, nullptr);
  done();
}

}  // namespace ba::trace
