#pragma once
// SPDX-License-Identifier: Apache-2.0
// HTTP without a network, under virtual time: each post() gets the next of the scripted answers.

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/fixed_random.hpp"
#include "tests/support/virtual_executor.hpp"
#include "worker/llm/http_client.hpp"

namespace ba {

struct FakeAnswer {
  int status = 200;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::optional<Error> error = {};  ///< the transfer fails after the body
  bool sent = true;
  bool reused_connection = false;
  Milliseconds delay{10};
};

class FakeHttp final : public HttpClient {
 public:
  struct Post {
    std::string body;
    Milliseconds at{0};
  };

  explicit FakeHttp(VirtualExecutor& time) : time_(time) {}

  Result<std::unique_ptr<HttpEndpoint>> open(HttpEndpointConfig config) override {
    configs.push_back(config);
    return std::unique_ptr<HttpEndpoint>(std::make_unique<Endpoint>(*this));
  }

  std::deque<FakeAnswer> answers;
  std::vector<Post> posts;
  std::vector<HttpEndpointConfig> configs;
  int open_calls = 0;

 private:
  class Call final : public HttpCall {
   public:
    Call(FakeHttp& http, FakeAnswer answer, SteadyTime deadline, HttpReceiver& receiver)
        : http_(http), answer_(std::move(answer)), receiver_(receiver) {
      ++http_.open_calls;
      const auto left =
          deadline == SteadyTime::max()
              ? answer_.delay
              : std::chrono::duration_cast<Milliseconds>(deadline - http_.time_.now());
      if (left < answer_.delay) {
        answer_ = {0, "", {}, Error{}, true, false, left};
        answer_.error->code = ErrorCode::Timeout;
        answer_.error->maybe_done = true;
      }
      timer_ = http_.time_.after(answer_.delay, [this] { deliver(); });
    }
    ~Call() override { --http_.open_calls; }

   private:
    void deliver() {
      HttpReceiver& receiver = receiver_;
      const FakeAnswer answer = answer_;
      HttpNext next = HttpNext::More;
      if (answer.status != 0) {
        receiver.on_head({answer.status, answer.headers});
        next = receiver.on_body(answer.body);
      }
      HttpEnd end{{}, answer.sent, answer.reused_connection};
      if (answer.error && next == HttpNext::More) end.result = *answer.error;
      receiver.on_end(std::move(end));
    }

    FakeHttp& http_;
    FakeAnswer answer_;
    HttpReceiver& receiver_;
    std::unique_ptr<Timer> timer_;
  };

  class Endpoint final : public HttpEndpoint {
   public:
    explicit Endpoint(FakeHttp& http) : http_(http) {}
    std::unique_ptr<HttpCall> post(HttpPost request, HttpReceiver& receiver) override {
      http_.posts.push_back({*request.body, std::chrono::duration_cast<Milliseconds>(
                                                http_.time_.now().time_since_epoch())});
      FakeAnswer answer{0, "", {}, {}, true, false, std::chrono::hours(100)};
      if (!http_.answers.empty()) {
        answer = http_.answers.front();
        http_.answers.pop_front();
      }
      return std::make_unique<Call>(http_, std::move(answer), request.deadline, receiver);
    }

   private:
    FakeHttp& http_;
  };

  VirtualExecutor& time_;
};

}  // namespace ba
