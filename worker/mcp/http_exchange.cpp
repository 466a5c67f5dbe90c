// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/http_exchange.hpp"

#include <algorithm>
#include <utility>

#include "worker/http/retry_wait.hpp"
#include "worker/mcp/call_result.hpp"
#include "worker/mcp/http_transport.hpp"

namespace ba::mcp {
namespace {

constexpr int kDoublingsMax = 6;
constexpr Milliseconds kHour{3'600'000};

Lost lost_by(ErrorCode code, std::string why) {
  Lost lost;
  lost.error.code = code;
  lost.error.retry = code == ErrorCode::Unavailable ? Retry::Later : Retry::Never;
  lost.error.message = std::move(why);
  lost.error.maybe_done = true;
  return lost;
}

/// By its status a server may refuse the request as such; what JSON-RPC says then says more.
bool explained_by_body(int status) { return status == 400 || status == 404 || status == 422; }

/// The specification wants 404 of who has forgotten a session; widespread servers answer 400 with a
/// code of their own. Either refuses the request as such, so that it did nothing.
bool forgets_session(int status, const RpcMessage& body) {
  const bool own_code = body.error.code == -32000 || body.error.code == -32001;
  return status == 404 || (status == 400 && body.kind == RpcMessage::Kind::Error && own_code);
}

}  // namespace

HttpExchange::HttpExchange(ExchangePlan plan, http::HttpEndpoint& endpoint, Executor& executor,
                           ExchangeOwner& owner)
    : plan_(std::move(plan)),
      endpoint_(endpoint),
      executor_(executor),
      owner_(owner),
      events_(plan_.event_bytes_max) {}

void HttpExchange::start() { call_ = endpoint_.post(std::move(plan_.request), *this); }

/// Receivers are told from inside curl, where no other request may begin.
void HttpExchange::post(std::function<void(HttpExchange&)> task) {
  executor_.post([weak = weak_from_this(), task = std::move(task)] {
    if (const auto self = weak.lock()) task(*self);
  });
}

// ---- told by HTTP ------------------------------------------------------------------------------

void HttpExchange::on_head(http::HttpHead head) {
  head_ = std::move(head);
  stream_ = head_.header("content-type").starts_with("text/event-stream");
  const std::string session(head_.header("mcp-session-id"));
  if (plan_.opens_session && good_status() && !session.empty())
    post([session](HttpExchange& self) { self.owner_.on_session(session); });
}

http::HttpNext HttpExchange::on_body(std::string_view piece) {
  if (!stream_ || !good_status()) {
    body_ += piece;
    return http::HttpNext::More;
  }
  if (!take_events(piece)) return http::HttpNext::Abort;
  return answered_ ? http::HttpNext::Complete : http::HttpNext::More;
}

/// False: the stream can't be read on.
bool HttpExchange::take_events(std::string_view piece) {
  events_.feed(piece);
  for (;;) {
    const auto event = events_.next();
    if (!event) {
      too_long_ = true;
      return false;
    }
    if (!*event) return true;
    last_event_ = (*event)->id;
    if (!(*event)->data.empty()) take_message((*event)->data);
  }
}

void HttpExchange::take_message(std::string_view text) {
  RpcMessage message = read_rpc_message(text);
  const bool answer =
      message.kind == RpcMessage::Kind::Result || message.kind == RpcMessage::Kind::Error;
  const bool own = message.id == plan_.id || message.id.is_null();
  answered_ = answered_ || (answer && own && plan_.id > 0);
  resumptions_ = 0;
  post([message = std::move(message)](HttpExchange& self) {
    self.owner_.on_exchange_message(self.plan_.id, message);
  });
}

void HttpExchange::on_end(http::HttpEnd end) {
  post([end = std::move(end)](HttpExchange& self) { self.ended(end); });
}

// ---- the end -----------------------------------------------------------------------------------

void HttpExchange::ended(http::HttpEnd end) {
  if (answered_) return finish(std::nullopt);
  if (too_long_)
    return finish(lost_by(
        ErrorCode::LimitExceeded,
        "it sent a message of more than " + std::to_string(plan_.event_bytes_max) + " bytes"));
  if (!end.result) {
    Lost lost;
    lost.error = end.result.error();
    lost.error.maybe_done = end.sent;
    return resume_or(std::move(lost));
  }
  if (!good_status()) return ended_with_status();
  if (stream_)
    return resume_or(lost_by(ErrorCode::Unavailable, "the stream ended before the answer"));
  if (plan_.id <= 0) return finish(std::nullopt);
  take_message(body_);
  if (answered_) return post([](HttpExchange& self) { self.finish(std::nullopt); });
  finish(lost_by(ErrorCode::Protocol, "the answer is no message of JSON-RPC"));
}

void HttpExchange::ended_with_status() {
  Lost lost;
  lost.status = head_.status;
  lost.error = error_of_status(head_.status);
  lost.error.retry_after = http::asked_wait(head_);
  RpcMessage message = read_rpc_message(body_);
  const bool asked_again = !last_event_.empty();  // by the GET that failed now
  lost.session_gone = plan_.in_session && !asked_again && forgets_session(head_.status, message);
  if (asked_again) lost.error.maybe_done = true;
  const bool explained = explained_by_body(head_.status) && !lost.session_gone &&
                         message.kind == RpcMessage::Kind::Error && plan_.id > 0 && !asked_again;
  if (!explained) return finish(std::move(lost));
  message.id = plan_.id;
  owner_.on_exchange_message(plan_.id, std::move(message));
  finish(std::nullopt);
}

void HttpExchange::resume_or(Lost lost) {
  const bool listening = plan_.id == kListeningStream;
  const bool known = listening || !last_event_.empty();
  const bool may =
      !plan_.resume_headers.empty() && known && (listening || resumptions_ < kResumptionsMax);
  if (!may) return finish(std::move(lost));
  // A server may ask for less, but not for no pause at all: then it would be asked without end.
  const Milliseconds first = std::clamp<Milliseconds>(
      events_.retry().value_or(kResumeAfter), listening ? kResumeAfter : kResumeLeast, kHour);
  const int doublings = std::min(resumptions_++, kDoublingsMax);
  const Milliseconds delay = std::min(first * (1 << doublings), std::max(first, kResumeAfterMost));
  resume_timer_ = executor_.after(std::min(delay, kHour), [this] { resume(); });
}

void HttpExchange::resume() {
  http::HttpPost request;
  request.method = http::HttpMethod::Get;
  request.headers = plan_.resume_headers;
  if (!last_event_.empty()) request.headers.emplace_back("Last-Event-ID", last_event_);
  head_ = {};
  body_.clear();
  stream_ = false;
  events_ = http::SseParser(plan_.event_bytes_max);
  call_ = endpoint_.post(std::move(request), *this);
}

void HttpExchange::finish(std::optional<Lost> lost) {
  owner_.on_exchange_end(plan_.id, std::move(lost));
}

}  // namespace ba::mcp
