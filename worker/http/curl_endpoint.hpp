#pragma once
// SPDX-License-Identifier: Apache-2.0
// An HttpEndpoint over curl: admission (libcurl's own queue is slow and must stay empty), reuse of
// easy handles, timeouts. Control thread only.

#include <deque>
#include <memory>
#include <vector>

#include "worker/http/curl_handle.hpp"
#include "worker/http/curl_reactor.hpp"

namespace ba::http {

class CurlCall;

class CurlEndpoint final : public HttpEndpoint {
 public:
  CurlEndpoint(HttpEndpointConfig config, CurlReactor& reactor);
  ~CurlEndpoint() override;

  std::unique_ptr<HttpCall> post(HttpPost request, HttpReceiver& receiver) override;

  /// Ends what is overdue; true while anything is in flight or queued.
  bool tick(SteadyTime now);

  /// Tells the receivers of calls that have ended, and starts queued ones. Outside of curl.
  void settle();

 private:
  friend class CurlCall;
  struct Slot {
    std::unique_ptr<CurlHandle> handle;
    CurlShard* shard = nullptr;
    CurlCall* call = nullptr;  ///< null: abandoned, or not in use
    bool in_flight = false;
  };
  struct Ended {
    CurlCall* call;
    HttpEnd end;
  };

  Slot& free_slot();
  void start(CurlCall& call);
  void start_queued();
  void on_done(CURL* easy, CURLcode code);
  void retire(Slot& slot);
  void finish(Slot& slot, HttpEnd end);
  void finish(CurlCall& call, HttpEnd end);
  void forget(CurlCall& call);

  HttpEndpointConfig config_;
  CurlReactor& reactor_;
  CurlList headers_;
  std::vector<std::unique_ptr<CurlShard>> shards_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<Slot*> free_;
  std::vector<Slot*> abandoned_;    ///< given up while curl was on the stack
  std::deque<CurlCall*> queue_;     ///< null where a call was given up
  std::uint64_t first_ticket_ = 0;  ///< of the call at the front
  std::size_t queued_ = 0;          ///< calls in queue_ that are not null
  std::deque<Ended> ended_;         ///< call is null where it was destroyed meanwhile
  int in_flight_ = 0;
};

class CurlCall final : public HttpCall {
 public:
  CurlCall(CurlEndpoint& endpoint, HttpPost request, HttpReceiver& receiver)
      : endpoint_(endpoint), request_(std::move(request)), receiver_(receiver) {}
  ~CurlCall() override { endpoint_.forget(*this); }

 private:
  friend class CurlEndpoint;
  enum class State { Queued, InFlight, Ended };

  CurlEndpoint& endpoint_;
  HttpPost request_;
  HttpReceiver& receiver_;
  State state_ = State::Queued;
  CurlEndpoint::Slot* slot_ = nullptr;  ///< while in flight
  std::uint64_t ticket_ = 0;            ///< place in the queue
};

}  // namespace ba::http
