#pragma once
// SPDX-License-Identifier: Apache-2.0
// HTTP without a network, under virtual time: each post() gets the next of the scripted answers, at
// once: nothing waits in a queue. Does what tests/contract/http_client asks of every client.

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/base/assert.hpp"
#include "tests/support/fixed_random.hpp"
#include "tests/support/virtual_executor.hpp"
#include "worker/http/http_client.hpp"
#include "worker/http/url.hpp"

namespace ba::http {

struct FakeAnswer {
  int status = 200;  ///< 0: no head comes, nor a body
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};  ///< names in lower case
  std::optional<Error> error = {};  ///< the transfer fails after the body
  bool sent = true;                 ///< of an error: the request had left by then
  bool reused_connection = false;
  Milliseconds delay{10};
  bool left_open = false;  ///< nothing follows what came: a time limit ends the call
};

class FakeHttp final : public HttpClient {
 public:
  struct Post {
    std::string body;
    Milliseconds at{0};
  };

  explicit FakeHttp(VirtualExecutor& time) : time_(time) {}

  Result<std::unique_ptr<HttpEndpoint>> open(HttpEndpointConfig config) override {
    if (!is_http_url(config.url)) return invalid_argument("not an HTTP URL: " + config.url);
    configs.push_back(config);
    return std::unique_ptr<HttpEndpoint>(std::make_unique<Endpoint>(*this, std::move(config)));
  }

  std::deque<FakeAnswer> answers;  ///< when none is left, none ever comes
  std::vector<Post> posts;
  std::vector<HttpEndpointConfig> configs;
  int under_way = 0;  ///< calls that have not ended

 private:
  class Endpoint;

  class Call final : public HttpCall {
   public:
    Call(Endpoint& endpoint, FakeAnswer answer, SteadyTime deadline, HttpReceiver& receiver)
        : endpoint_(endpoint), answer_(std::move(answer)), receiver_(receiver) {
      ++endpoint_.calls;
      ++endpoint_.http.under_way;
      VirtualExecutor& time = endpoint_.http.time_;
      if (answer_.status == 0 && answer_.left_open)
        wait_for("first byte", endpoint_.config.first_byte_timeout);
      else
        answer_timer_ = time.after(answer_.delay, [this] { deliver(); });
      if (deadline == SteadyTime::max()) return;
      const auto left = std::chrono::duration_cast<Milliseconds>(deadline - time.now());
      deadline_timer_ = time.after(std::max(left, Milliseconds(0)),
                                   [this] { end_by(timed_out(Retry::Never, "deadline")); });
    }
    ~Call() override {
      --endpoint_.calls;
      if (!ended_) --endpoint_.http.under_way;
    }

   private:
    void deliver() {
      const std::weak_ptr<bool> alive = alive_;
      if (answer_.status != 0) receiver_.on_head({answer_.status, answer_.headers});
      if (alive.expired()) return;
      HttpNext next = HttpNext::More;
      if (answer_.status != 0 && !answer_.body.empty()) {
        if (std::ssize(answer_.body) > endpoint_.config.reply_bytes_max)
          return end_by(error_with(ErrorCode::LimitExceeded, Retry::Never, "reply too large"));
        next = receiver_.on_body(answer_.body);
        if (alive.expired()) return;
      }
      if (next == HttpNext::Complete) return end({{}, true, false});
      if (next == HttpNext::Abort)
        return end_by(error_with(ErrorCode::Cancelled, Retry::Never, ""));
      if (answer_.error) return end_by(*answer_.error);
      if (answer_.left_open) return wait_for("next byte", endpoint_.config.idle_timeout);
      end({{}, true, false});
    }

    /// For what never comes.
    void wait_for(const char* what, Milliseconds limit) {
      answer_timer_ = endpoint_.http.time_.after(
          limit, [this, what] { end_by(timed_out(Retry::Later, what)); });
    }

    void end_by(Error error) {
      error.maybe_done = answer_.sent;
      end({std::move(error), answer_.sent, answer_.reused_connection});
    }

    void end(HttpEnd end) {
      answer_timer_.reset();
      deadline_timer_.reset();
      ended_ = true;
      --endpoint_.http.under_way;
      receiver_.on_end(std::move(end));
    }

    static Error timed_out(Retry retry, const std::string& what) {
      return error_with(ErrorCode::Timeout, retry, "timeout " + what);
    }

    static Error error_with(ErrorCode code, Retry retry, std::string detail) {
      Error error;
      error.code = code;
      error.retry = retry;
      error.detail = std::move(detail);
      return error;
    }

    Endpoint& endpoint_;
    FakeAnswer answer_;
    HttpReceiver& receiver_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  ///< watched while one is told
    bool ended_ = false;
    std::unique_ptr<Timer> answer_timer_;
    std::unique_ptr<Timer> deadline_timer_;
  };

  class Endpoint final : public HttpEndpoint {
   public:
    Endpoint(FakeHttp& client, HttpEndpointConfig given) : http(client), config(std::move(given)) {}
    ~Endpoint() override { BA_ASSERT(calls == 0); }

    std::unique_ptr<HttpCall> post(HttpPost request, HttpReceiver& receiver) override {
      http.posts.push_back({*request.body, std::chrono::duration_cast<Milliseconds>(
                                               http.time_.now().time_since_epoch())});
      FakeAnswer answer;
      answer.status = 0;
      answer.left_open = true;
      if (!http.answers.empty()) {
        answer = http.answers.front();
        http.answers.pop_front();
      }
      return std::make_unique<Call>(*this, std::move(answer), request.deadline, receiver);
    }

    FakeHttp& http;
    HttpEndpointConfig config;
    int calls = 0;
  };

  VirtualExecutor& time_;
};

}  // namespace ba::http
