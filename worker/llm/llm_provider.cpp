// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/llm_provider.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "worker/http/retry_wait.hpp"

namespace ba::llm {
namespace {

http::HttpEndpointConfig endpoint_config(const ProviderConfig& provider, const Protocol& protocol,
                                         const LlmLimits& limits) {
  http::HttpEndpointConfig config =
      provider_endpoint(provider, protocol.url(provider), request_headers(provider));
  config.first_byte_timeout = provider.timeouts.first_byte;
  config.idle_timeout = provider.timeouts.idle;
  config.total_timeout = provider.timeouts.total;
  config.reply_bytes_max = provider.streaming ? limits.stream_bytes_max : limits.reply_bytes_max;
  config.concurrency_max = provider.concurrency_max;
  config.queue_max = provider.queue_max;
  config.compression = provider.compression;
  return config;
}

constexpr int kOverloadFactor = 4;  // an overloaded provider recovers slowly

}  // namespace

bool RequestAdmission::Ticket::enter() {
  if (state_ == State::Inside) return true;
  if (state_ == State::Waiting) return false;
  if (!admission_.has_room() || !admission_.waiting_.empty()) {
    place_ = admission_.waiting_.insert(admission_.waiting_.end(), this);
    state_ = State::Waiting;
    return false;
  }
  admission_.take_in(*this);
  return true;
}

void RequestAdmission::Ticket::accepted() {
  if (state_ != State::Inside) return;
  const bool counts = pause_ == admission_.pauses_;
  admission_.go_out(*this);
  if (counts && admission_.slow_ && ++admission_.most_ >= kEverybody) admission_.slow_ = false;
  admission_.let_in();
}

void RequestAdmission::Ticket::refused() {
  if (state_ == State::Waiting) admission_.waiting_.erase(place_);
  state_ = State::Outside;
  admission_.slow_ = true;
  admission_.most_ = 1;
  admission_.inside_ = 0;
  ++admission_.pauses_;
  // They are told of the pause and come back after it.
  for (Ticket* each : std::exchange(admission_.waiting_, {})) {
    each->state_ = State::Outside;
    each->let_in_();
  }
}

void RequestAdmission::Ticket::leave() {
  const State before = state_;
  if (before == State::Waiting) admission_.waiting_.erase(place_);
  if (before == State::Inside) admission_.go_out(*this);
  state_ = State::Outside;
  if (before != State::Outside) admission_.let_in();
}

void RequestAdmission::take_in(Ticket& ticket) {
  ticket.state_ = Ticket::State::Inside;
  ticket.pause_ = pauses_;
  ++inside_;
}

void RequestAdmission::go_out(Ticket& ticket) {
  ticket.state_ = Ticket::State::Outside;
  if (ticket.pause_ == pauses_) --inside_;
}

void RequestAdmission::let_in() {
  while (!waiting_.empty() && has_room()) {
    Ticket& next = *waiting_.front();
    waiting_.pop_front();
    take_in(next);
    next.let_in_();
  }
}

LlmProvider::LlmProvider(ProviderConfig config)
    : config_(std::move(config)), protocol_(*config_.protocol) {}

Result<std::unique_ptr<LlmProvider>> LlmProvider::open(ProviderConfig config,
                                                       const LlmLimits& limits,
                                                       http::HttpClient& http) {
  std::unique_ptr<LlmProvider> provider(new LlmProvider(std::move(config)));
  auto endpoint = http.open(endpoint_config(provider->config_, provider->protocol_, limits));
  if (!endpoint) return endpoint.error();
  provider->endpoint_ = std::move(*endpoint);
  return provider;
}

void LlmProvider::remember_refusal(const std::string& model, Error error) {
  refusals_.try_emplace(model, std::move(error));
}

const Error* LlmProvider::known_refusal(const std::string& model) const {
  const auto found = refusals_.find(model);
  return found == refusals_.end() ? nullptr : &found->second;
}

void LlmProvider::pause_until(SteadyTime time) { paused_until_ = std::max(paused_until_, time); }

void apply_retry_headers(Error& error, const http::HttpHead& head, WallTime now) {
  if (const auto wait = http::asked_wait(head, now)) error.retry_after = wait;
  if (error.code == ErrorCode::LimitExceeded) return;
  const std::string_view word = head.header("x-should-retry");
  if (word == "true") error.retry = Retry::Later;
  if (word == "false") error.retry = Retry::Never;
}

Milliseconds llm_retry_delay(const LlmRetry& retry, const Error& error, int tries,
                             std::uint64_t random) {
  if (error.retry_after) return *error.retry_after;
  double delay = static_cast<double>(retry.initial_delay.count());
  if (error.code == ErrorCode::Overloaded) delay *= kOverloadFactor;
  delay *= std::pow(retry.multiplier, tries - 1);
  delay = std::min(delay, static_cast<double>(retry.max_delay.count()));
  return http::bounded_milliseconds(delay * (1 - retry.jitter * http::random_share(random)));
}

}  // namespace ba::llm
