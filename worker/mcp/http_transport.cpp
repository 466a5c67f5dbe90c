// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/http_transport.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "worker/mcp/http_exchange.hpp"

namespace ba::mcp {
namespace {

constexpr Milliseconds kNotificationTimeout{5000};  ///< later messages wait for it so long
constexpr std::size_t kSessionBytesMax = 1024;
constexpr int kOwnStreams = 2;  // listening, and a farewell, beside the requests

bool fit_for_header(const std::string& text) {
  return text.size() <= kSessionBytesMax &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

class HttpTransport final : public Transport, public ExchangeOwner {
 public:
  HttpTransport(std::unique_ptr<http::HttpEndpoint> endpoint, std::size_t event_bytes_max,
                Executor& executor)
      : executor_(executor), event_bytes_max_(event_bytes_max), endpoint_(std::move(endpoint)) {}

  void start(TransportListener& listener) override { listener_ = &listener; }

  void send(Outgoing message) override {
    if (listener_ == nullptr) return;
    if (notifying_ != 0)
      waiting_.push_back(std::move(message));
    else
      send_now(std::move(message));
  }

  void drop(std::int64_t id) override {
    exchanges_.erase(id);
    std::erase_if(waiting_, [id](const Outgoing& message) { return message.id == id; });
  }

  bool is_http() const override { return true; }

  void listen(HeaderList headers) override {
    ExchangePlan plan;
    plan.id = kListeningStream;
    plan.request.method = http::HttpMethod::Get;
    plan.resume_headers = with_session(std::move(headers), "text/event-stream");
    plan.request.headers = plan.resume_headers;
    begin(std::move(plan));
  }

  void stop(std::function<void()> done) override {
    listener_ = nullptr;
    waiting_.clear();
    exchanges_.clear();
    notifying_ = 0;
    if (session_.empty()) return executor_.post(std::move(done));
    stopped_ = std::move(done);
    ExchangePlan plan;
    plan.id = --last_unnumbered_;
    plan.request.method = http::HttpMethod::Delete;
    plan.request.headers = with_session(session_headers_, "application/json");
    farewell_ = plan.id;
    begin(std::move(plan));
    limit_ =
        executor_.after(kFarewellTimeout, [this] { on_exchange_end(farewell_, std::nullopt); });
  }

 private:
  void send_now(Outgoing message) {
    ExchangePlan plan;
    plan.id = message.id > 0 ? message.id : --last_unnumbered_;
    if (message.id <= 0) await_notification(plan.id);
    const bool legacy = !std::ranges::any_of(
        message.headers, [](const auto& header) { return header.first == "Mcp-Method"; });
    if (legacy && !message.opens_session && message.id > 0)
      plan.resume_headers = with_session(message.headers, "text/event-stream");
    plan.opens_session = message.opens_session;
    if (message.opens_session) session_.clear();
    plan.in_session = legacy && !session_.empty();
    if (legacy) session_headers_ = message.headers;
    plan.request.headers =
        with_session(std::move(message.headers), "application/json, text/event-stream");
    plan.request.headers.emplace_back("Content-Type", "application/json");
    plan.request.body = std::make_shared<const std::string>(std::move(message.body));
    begin(std::move(plan));
  }

  /// A notification may be what the next request needs.
  void await_notification(std::int64_t id) {
    notifying_ = id;
    limit_ = executor_.after(kNotificationTimeout, [this, id] {
      exchanges_.erase(id);
      notified();
    });
  }

  void notified() {
    notifying_ = 0;
    limit_.reset();
    while (notifying_ == 0 && !waiting_.empty()) {
      Outgoing next = std::move(waiting_.front());
      waiting_.pop_front();
      send_now(std::move(next));
    }
  }

  void begin(ExchangePlan plan) {
    plan.event_bytes_max = event_bytes_max_;
    const std::int64_t id = plan.id;
    auto exchange = std::make_shared<HttpExchange>(std::move(plan), *endpoint_, executor_, *this);
    exchanges_[id] = exchange;
    exchange->start();
  }

  HeaderList with_session(HeaderList headers, const char* accept) const {
    headers.emplace_back("Accept", accept);
    if (!session_.empty()) headers.emplace_back("Mcp-Session-Id", session_);
    return headers;
  }

  void on_session(std::string session) override {
    if (fit_for_header(session)) session_ = std::move(session);
  }

  void on_exchange_message(std::int64_t id, RpcMessage message) override {
    if (listener_ == nullptr) return;
    // In the stream of a notification there is nothing but what the server says by itself.
    listener_->on_message(id > 0 ? id : kListeningStream, std::move(message));
  }

  void on_exchange_end(std::int64_t id, std::optional<Lost> lost) override {
    const auto exchange = exchanges_.extract(id);  // kept until this returns
    if (id == farewell_ && stopped_) {
      limit_.reset();
      return executor_.post(std::exchange(stopped_, nullptr));
    }
    if (id == notifying_) return notified();
    if (id > 0 && lost && listener_ != nullptr) listener_->on_lost(id, std::move(*lost));
  }

  Executor& executor_;
  const std::size_t event_bytes_max_;
  std::unique_ptr<http::HttpEndpoint> endpoint_;
  TransportListener* listener_ = nullptr;
  std::map<std::int64_t, std::shared_ptr<HttpExchange>> exchanges_;  ///< shared with their tasks
  std::deque<Outgoing> waiting_;  ///< for a notification to be heard
  std::int64_t notifying_ = 0;
  std::int64_t last_unnumbered_ = kListeningStream;
  std::int64_t farewell_ = 0;
  std::string session_;
  HeaderList session_headers_;  ///< of the last legacy message
  std::unique_ptr<Timer> limit_;
  std::function<void()> stopped_;
};

}  // namespace

Result<std::unique_ptr<Transport>> make_http_transport(http::HttpEndpointConfig endpoint,
                                                       http::HttpClient& http, Executor& executor) {
  const auto event_bytes_max = static_cast<std::size_t>(endpoint.reply_bytes_max);
  constexpr auto kLong = std::chrono::hours(25);  // time is kept by whoever asks
  endpoint.first_byte_timeout = endpoint.idle_timeout = endpoint.total_timeout = kLong;
  endpoint.concurrency_max += kOwnStreams;
  auto opened = http.open(std::move(endpoint));
  if (!opened) return opened.error();
  return std::unique_ptr<Transport>(
      std::make_unique<HttpTransport>(std::move(*opened), event_bytes_max, executor));
}

}  // namespace ba::mcp
