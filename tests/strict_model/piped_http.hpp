#pragma once
// SPDX-License-Identifier: Apache-2.0
// HTTP to whoever sits at the other end of a pipe, under virtual time: each post is told there and
// answered at once. One thread.

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "tests/support/virtual_executor.hpp"
#include "worker/http/http_client.hpp"

namespace ba {

struct PipedAnswer {
  int status = 0;  ///< 0: nothing comes, and nothing ever will
  std::string type;
  std::string body;
};

class PipedHttp final : public http::HttpClient {
 public:
  using Ask = std::function<PipedAnswer(const http::HttpEndpointConfig&, const std::string& body)>;

  PipedHttp(VirtualExecutor& time, Ask ask) : time_(time), ask_(std::move(ask)) {}

  Result<std::unique_ptr<http::HttpEndpoint>> open(http::HttpEndpointConfig config) override {
    return std::unique_ptr<http::HttpEndpoint>(
        std::make_unique<Endpoint>(*this, std::move(config)));
  }

 private:
  class Call final : public http::HttpCall {
   public:
    Call(VirtualExecutor& time, PipedAnswer answer, http::HttpReceiver& receiver)
        : answer_(std::move(answer)), receiver_(receiver) {
      if (answer_.status != 0) timer_ = time.after(kDelay, [this] { deliver(); });
    }

   private:
    static constexpr Milliseconds kDelay{10};

    /// The receiver may destroy this call in any of its functions.
    void deliver() {
      const std::weak_ptr<bool> alive = alive_;
      receiver_.on_head({answer_.status, {{"content-type", answer_.type}}});
      if (alive.expired()) return;
      const http::HttpNext next = receiver_.on_body(answer_.body);
      if (alive.expired()) return;
      http::HttpEnd end{{}, true, false};
      if (next == http::HttpNext::Abort) end.result = aborted();
      receiver_.on_end(std::move(end));
    }

    static Error aborted() {
      Error error;
      error.code = ErrorCode::Cancelled;
      error.retry = Retry::Never;
      error.maybe_done = true;
      return error;
    }

    PipedAnswer answer_;
    http::HttpReceiver& receiver_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  ///< watched while one is told
    std::unique_ptr<Timer> timer_;
  };

  class Endpoint final : public http::HttpEndpoint {
   public:
    Endpoint(PipedHttp& client, http::HttpEndpointConfig config)
        : client_(client), config_(std::move(config)) {}

    std::unique_ptr<http::HttpCall> post(http::HttpPost request,
                                         http::HttpReceiver& receiver) override {
      return std::make_unique<Call>(client_.time_, client_.ask_(config_, *request.body), receiver);
    }

   private:
    PipedHttp& client_;
    const http::HttpEndpointConfig config_;
  };

  VirtualExecutor& time_;
  const Ask ask_;
};

}  // namespace ba
