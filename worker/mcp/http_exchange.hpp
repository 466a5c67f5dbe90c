#pragma once
// SPDX-License-Identifier: Apache-2.0
// One HTTP request of a transport and its reply: JSON, or a stream of events that may break and be
// taken up again. Shared by its transport and the tasks it has posted; control thread only.

#include <memory>
#include <optional>

#include "pipeline/core/port/executor.hpp"
#include "worker/http/http_client.hpp"
#include "worker/http/sse_parser.hpp"
#include "worker/mcp/mcp_transport.hpp"

namespace ba::mcp {

/// What an exchange tells its transport, from tasks of the executor.
class ExchangeOwner {
 public:
  virtual ~ExchangeOwner() = default;
  virtual void on_session(std::string session) = 0;
  virtual void on_exchange_message(std::int64_t id, RpcMessage message) = 0;
  /// The last word of an exchange. No `lost`: all that was expected has come.
  virtual void on_exchange_end(std::int64_t id, std::optional<Lost> lost) = 0;
};

struct ExchangePlan {
  std::int64_t id = 0;  ///< positive: a request that waits for its answer
  http::HttpPost request;
  HeaderList resume_headers;  ///< of a GET that takes up the stream; empty: it is not taken up
  bool opens_session = false;
  bool in_session = false;  ///< a 404 means that the session is gone
  std::size_t event_bytes_max = 4 << 20;
};

class HttpExchange final : public http::HttpReceiver,
                           public std::enable_shared_from_this<HttpExchange> {
 public:
  /// All outlive the exchange.
  HttpExchange(ExchangePlan plan, http::HttpEndpoint& endpoint, Executor& executor,
               ExchangeOwner& owner);

  void start();

 private:
  void on_head(http::HttpHead head) override;
  http::HttpNext on_body(std::string_view piece) override;
  void on_end(http::HttpEnd end) override;

  void post(std::function<void(HttpExchange&)> task);
  bool take_events(std::string_view piece);
  void take_message(std::string_view text);
  void ended(http::HttpEnd end);
  void ended_with_status();
  void resume_or(Lost lost);
  void resume();
  void finish(std::optional<Lost> lost);
  bool good_status() const { return head_.status >= 200 && head_.status < 300; }

  ExchangePlan plan_;
  http::HttpEndpoint& endpoint_;
  Executor& executor_;
  ExchangeOwner& owner_;
  http::HttpHead head_;
  bool stream_ = false;
  bool answered_ = false;
  std::string body_;
  http::SseParser events_;
  bool too_long_ = false;
  std::string last_event_;
  int resumptions_ = 0;
  std::unique_ptr<Timer> resume_timer_;
  std::unique_ptr<http::HttpCall> call_;
};

}  // namespace ba::mcp
