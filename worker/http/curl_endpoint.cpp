// SPDX-License-Identifier: Apache-2.0
#include "worker/http/curl_endpoint.hpp"

#include <algorithm>

#include "pipeline/base/assert.hpp"

namespace ba::http {
namespace {

constexpr int kConnectionsPerShard = 64;
constexpr int kShardsMax = 160;

SteadyTime now() { return std::chrono::steady_clock::now(); }

CurlList header_list(const HttpEndpointConfig& config) {
  CurlList list;
  for (const auto& [name, value] : config.headers)
    append_line(list, header_line(name, value.reveal()));
  append_line(list, "Expect:");  // no waiting for 100-continue before large bodies
  return list;
}

HttpEnd queue_end(ErrorCode code, Retry retry, std::string message, std::string detail) {
  Error error = make_error(code, std::move(message), retry);
  error.detail = std::move(detail);
  return {std::move(error), false, false};
}

}  // namespace

CurlEndpoint::CurlEndpoint(HttpEndpointConfig config, CurlReactor& reactor)
    : config_(std::move(config)), reactor_(reactor), headers_(header_list(config_)) {
  const int wanted = (config_.concurrency_max + kConnectionsPerShard - 1) / kConnectionsPerShard;
  for (int i = 0; i < std::clamp(wanted, 1, kShardsMax); ++i)
    shards_.push_back(std::make_unique<CurlShard>(
        reactor_, [this](CURL* easy, CURLcode code) { on_done(easy, code); }));
}

CurlEndpoint::~CurlEndpoint() {
  for (const auto& slot : slots_) {
    BA_ASSERT(slot->call == nullptr);
    if (slot->in_flight) slot->shard->remove(slot->handle->easy());
  }
}

std::unique_ptr<HttpCall> CurlEndpoint::post(HttpPost request, HttpReceiver& receiver) {
  auto call = std::make_unique<CurlCall>(*this, std::move(request), receiver);
  reactor_.keep_ticking(true);
  if (in_flight_ < config_.concurrency_max && queued_ == 0) {
    start(*call);
  } else if (queued_ < static_cast<std::size_t>(config_.queue_max)) {
    call->ticket_ = first_ticket_ + queue_.size();
    queue_.push_back(call.get());
    ++queued_;
  } else {
    finish(*call, queue_end(ErrorCode::LimitExceeded, Retry::Later,
                            std::to_string(queued_) + " calls wait already (queue_max)", "queue"));
  }
  return call;
}

CurlEndpoint::Slot& CurlEndpoint::free_slot() {
  if (free_.empty()) {
    auto slot = std::make_unique<Slot>();
    slot->handle = std::make_unique<CurlHandle>(config_, headers_.get(), reactor_.share());
    curl_easy_setopt(slot->handle->easy(), CURLOPT_PRIVATE, static_cast<void*>(slot.get()));
    slots_.push_back(std::move(slot));
    return *slots_.back();
  }
  Slot& slot = *free_.back();
  free_.pop_back();
  return slot;
}

void CurlEndpoint::start(CurlCall& call) {
  Slot& slot = free_slot();
  slot.shard = shards_[call.request_.affinity % shards_.size()].get();
  slot.call = &call;
  slot.in_flight = true;
  ++in_flight_;
  call.state_ = CurlCall::State::InFlight;
  call.slot_ = &slot;
  slot.handle->begin(call.request_, call.receiver_, now());
  slot.shard->add(slot.handle->easy());
}

void CurlEndpoint::start_queued() {
  while (in_flight_ < config_.concurrency_max && !queue_.empty()) {
    CurlCall* const call = queue_.front();
    queue_.pop_front();
    ++first_ticket_;
    if (call == nullptr) continue;
    --queued_;
    start(*call);
  }
}

void CurlEndpoint::on_done(CURL* easy, CURLcode code) {
  char* data = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &data);
  Slot& slot = *reinterpret_cast<Slot*>(data);
  finish(slot, slot.handle->end(code));
}

void CurlEndpoint::finish(Slot& slot, HttpEnd end) {
  CurlCall* const call = slot.call;
  retire(slot);
  if (call != nullptr) finish(*call, std::move(end));
}

/// Takes the transfer out of curl, which closes its connection unless it came to its end.
void CurlEndpoint::retire(Slot& slot) {
  if (!slot.in_flight) return;
  slot.shard->remove(slot.handle->easy());
  slot.call = nullptr;
  slot.in_flight = false;
  slot.handle->release();
  --in_flight_;
  free_.push_back(&slot);
}

void CurlEndpoint::finish(CurlCall& call, HttpEnd end) {
  call.state_ = CurlCall::State::Ended;
  call.slot_ = nullptr;
  ended_.push_back({&call, std::move(end)});
  reactor_.end_turn_soon();
}

void CurlEndpoint::forget(CurlCall& call) {
  switch (call.state_) {
    case CurlCall::State::Queued:
      queue_[call.ticket_ - first_ticket_] = nullptr;
      --queued_;
      return;
    case CurlCall::State::InFlight:
      call.slot_->call = nullptr;
      call.slot_->handle->abandon();
      if (reactor_.inside_curl())
        abandoned_.push_back(call.slot_);
      else
        retire(*call.slot_);
      reactor_.end_turn_soon();
      return;
    case CurlCall::State::Ended:
      for (Ended& ended : ended_)
        if (ended.call == &call) ended.call = nullptr;
  }
}

bool CurlEndpoint::tick(SteadyTime time) {
  for (const auto& slot : slots_) {
    if (slot->call == nullptr) continue;
    if (auto error = slot->handle->overdue(time, slot->call->request_.deadline))
      finish(*slot, slot->handle->end_by(std::move(*error)));
  }
  for (CurlCall*& call : queue_) {
    if (call == nullptr || time <= call->request_.deadline) continue;
    finish(*std::exchange(call, nullptr),
           queue_end(ErrorCode::Timeout, Retry::Never,
                     "the call's deadline passed while it waited for one of " +
                         std::to_string(config_.concurrency_max) + " connections",
                     "timeout queue"));
    --queued_;
  }
  return in_flight_ > 0 || queued_ > 0;
}

void CurlEndpoint::settle() {
  for (Slot* slot : abandoned_)
    if (slot->call == nullptr) retire(*slot);
  abandoned_.clear();
  start_queued();
  // Receivers may post and destroy calls of this endpoint meanwhile; what they add to ended_ at
  // once is told in a later turn.
  for (std::size_t left = ended_.size(); left > 0; --left) {
    Ended next = std::move(ended_.front());
    ended_.pop_front();
    if (next.call != nullptr) next.call->receiver_.on_end(std::move(next.end));
  }
}

}  // namespace ba::http
