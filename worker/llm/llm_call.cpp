// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/llm_call.hpp"

#include <algorithm>
#include <array>

#include "pipeline/base/lower_case.hpp"
#include "pipeline/text/secret/redaction.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"
#include "worker/http/retry_wait.hpp"
#include "worker/llm/llm_provider.hpp"
#include "worker/llm/reply_checks.hpp"
#include "worker/llm/reply_draft.hpp"

namespace ba::llm {
namespace {

/// Refusals for rates come at once: a request without an answer for so long is being worked on, or
/// lost, and holds up nobody who waits behind a pause.
constexpr Milliseconds kRefusalWithin{5'000};

constexpr int kServiceUnavailable = 503;
constexpr Milliseconds kShortestWait{250};  ///< before one more try, for each refusal so far
constexpr int kShortestWaitsMax = 8;

bool labelled_as_stream(const http::HttpHead& head) {
  constexpr std::string_view kType = "text/event-stream";
  return lower_case(head.header("content-type").substr(0, kType.size())) == kType;
}

/// Paid, and asked again it would be as long.
Error too_long_event(Error error) {
  error.retry = Retry::Never;
  error.detail = "too long";
  error.maybe_done = true;
  return error;
}

/// The server is there, and says that it takes no more for the moment.
bool refused_unpaid(int status, const Error& error) {
  if (error.maybe_done) return false;
  return error.code == ErrorCode::RateLimited || error.code == ErrorCode::Overloaded ||
         (status == kServiceUnavailable && error.retry_after.has_value());
}

/// As far as it goes: of a first piece there may be one byte.
bool begins_like_a_stream(std::string_view body) {
  constexpr std::array<std::string_view, 5> kFields{":", "data:", "event:", "id:", "retry:"};
  return std::ranges::any_of(kFields, [&](std::string_view field) {
    const std::size_t size = std::min(field.size(), body.size());
    return body.substr(0, size) == field.substr(0, size);
  });
}

Milliseconds since(SteadyTime start, SteadyTime now) {
  return std::chrono::duration_cast<Milliseconds>(now - start);
}

/// Providers quote credentials in their messages, and some quote all of them.
std::string without_secrets(const std::string& text, const ProviderConfig& provider) {
  std::vector<std::string> secrets{provider.api_key.reveal(), provider.proxy_password.reveal()};
  for (const auto& [name, value] : provider.headers) secrets.push_back(value.reveal());
  return Redaction(std::move(secrets)).without_known(text).value_or(text);
}

}  // namespace

LlmCall::LlmCall(const LlmCallContext& context, const ModelRequest& request, ModelListener listener)
    : context_(context),
      protocol_context_{context.provider.config(), context.model, context.config.limits,
                        reply_place(request), output_tokens_max(request, context.model)},
      listener_(std::move(listener)),
      affinity_(request.affinity),
      place_(ThinkingBonds::place_of(request)),
      price_reading_(request.price_reading),
      started_(context.ports.clock.now()),
      deadline_(started_ +
                (request.timeout.count() > 0 ? request.timeout : context.config.retry.deadline)),
      ticket_(context.provider.admission(), [this] {
        timer_ = context_.ports.executor.after(Milliseconds(0), [this] { begin_try(); });
      }) {}

void LlmCall::start(Result<WrittenRequest> request) {
  if (!request) {
    timer_ = context_.ports.executor.after(
        Milliseconds(0), [this, error = request.error()]() mutable { give_up(std::move(error)); });
    return;
  }
  request_ = std::move(*request);
  begin_try();
}

void LlmCall::begin_try() {
  timer_.reset();
  const SteadyTime now = context_.ports.clock.now();
  const SteadyTime pause = context_.provider.paused_until();
  if (pause > now) {
    Error error =
        make_error(ErrorCode::RateLimited,
                   "the provider asked for a pause longer than the call's deadline", Retry::Later);
    error.retry_after = since(now, pause) + Milliseconds(1);
    error.detail = "paused";
    ticket_.leave();
    return retry_after(http::spread(*error.retry_after, context_.config.retry.jitter,
                                    context_.ports.random.next()),
                       error);
  }
  if (!ticket_.enter()) return wait_for_place();
  send();
}

/// The provider asked for a pause, and others came first after it.
void LlmCall::wait_for_place() {
  Error error = make_error(
      ErrorCode::RateLimited,
      "the provider asked for a pause, and took too few requests after it until the call's "
      "deadline",
      Retry::Later);
  error.detail = "paused";
  const Milliseconds left = since(context_.ports.clock.now(), deadline_);
  timer_ = context_.ports.executor.after(left, [this, error] { give_up(error); });
}

void LlmCall::send() {
  ++tries_;
  head_ = {};
  reader_.reset();
  events_.reset();
  reply_body_.clear();
  refusal_.reset();
  looked_at_ = false;
  if (context_.provider.admission().slow())
    unrefused_ = context_.ports.executor.after(kRefusalWithin, [this] { ticket_.accepted(); });
  http_ = context_.provider.endpoint().post({request_.body, affinity_, deadline_}, *this);
}

void LlmCall::on_head(http::HttpHead head) {
  head_ = std::move(head);
  if (head_.status == 200) ticket_.accepted();
  if (head_.status == 200 && labelled_as_stream(head_)) begin_stream();
}

void LlmCall::begin_stream() {
  reader_ = context_.provider.protocol().read_stream(protocol_context_);
  events_.emplace(static_cast<std::size_t>(context_.config.limits.event_bytes_max));
}

/// The first thing in a body says what it is, whatever the server calls it: some send a stream as
/// application/json, and others a whole reply as a stream.
void LlmCall::look_at_body(std::string_view piece) {
  constexpr std::string_view kBlanksAndByteOrderMark = " \t\r\n\xef\xbb\xbf";
  const std::size_t start = piece.find_first_not_of(kBlanksAndByteOrderMark);
  if (start == piece.npos) return;
  looked_at_ = true;
  const std::string_view body = piece.substr(start);
  if (std::string_view("{[<").find(body.front()) != std::string_view::npos) {
    reader_.reset();
    events_.reset();
  } else if (!reader_ && begins_like_a_stream(body)) {
    begin_stream();
  }
}

http::HttpNext LlmCall::on_body(std::string_view piece) {
  if (head_.status == 200 && !looked_at_) look_at_body(piece);
  if (reader_) return take_stream(piece);
  const auto limit = static_cast<std::size_t>(context_.config.limits.reply_bytes_max);
  if (reply_body_.size() + piece.size() > limit)
    return refuse(too_long_reply("the body is", context_.config.limits));
  reply_body_ += piece;
  return http::HttpNext::More;
}

http::HttpNext LlmCall::take_stream(std::string_view piece) {
  events_->feed(piece);
  for (;;) {
    const auto event = events_->next();
    if (!event) return refuse(too_long_event(event.error()));
    if (!*event) return http::HttpNext::More;
    const Result<bool> complete = reader_->take(**event);
    if (!complete) return refuse(complete.error());
    if (*complete) return http::HttpNext::Complete;
  }
}

http::HttpNext LlmCall::refuse(Error error) {
  refusal_ = std::move(error);
  return http::HttpNext::Abort;
}

void LlmCall::on_end(http::HttpEnd end) {
  http_.reset();
  Result<ProtocolReply> result = read(end);
  if (result) ticket_.accepted();
  if (result) return succeed(std::move(*result));
  Error error = result.error();
  if (head_.status != 0) apply_retry_headers(error, head_, context_.ports.clock.wall());
  if (end.reused_connection && tries_ == 1) error.retry_after = Milliseconds(1);
  fail(std::move(error));
}

Result<ProtocolReply> LlmCall::read(const http::HttpEnd& end) {
  const Protocol& protocol = context_.provider.protocol();
  if (refusal_) return *refusal_;
  if (reader_) {
    // A stream that was cut after the model's last word is as good as a whole one.
    Result<ProtocolReply> reply = reader_->finish();
    if (reply || end.result) return reply;
    return end.result.error();
  }
  if (!end.result) return end.result.error();
  if (head_.status == 200) return protocol.read_reply(reply_body_, protocol_context_);
  return read_failure(head_.status, reply_body_, protocol_context_);
}

/// In force now; null: not known.
const ModelPrices* LlmCall::prices() const {
  const WallTime now = context_.ports.clock.wall();
  const PriceBook* book = context_.ports.prices;
  return book ? book->at(price_reading_, context_.model.name, now) : context_.model.prices_at(now);
}

void LlmCall::succeed(ProtocolReply result) {
  ModelReply& reply = result.reply;
  reply.provider = context_.provider.config().name;
  if (reply.model.empty()) reply.model = context_.model.model_id;
  for (const std::string_view name : {"request-id", "x-request-id"})
    if (const auto id = head_.header(name); !id.empty()) reply.provider_request_id = id;
  if (const ModelPrices* in_force = prices(); in_force && result.usage_known) {
    reply.cost_micro_usd = cost_of(reply.message.usage, *in_force);
    reply.input_prices = input_prices(*in_force);
  }
  reply.tries = tries_;
  reply.wasted_calls = wasted_;
  reply.request_hash =
      request_.hash.empty() ? sha256_hex_of(*request_.body) : std::move(request_.hash);
  request_ = {};
  reply.latency = since(started_, context_.ports.clock.now());
  const auto done = std::move(listener_.done);  // which may destroy this call
  done(std::move(reply));
}

void LlmCall::fail(Error error) {
  if (!error.maybe_done) return try_again_or_give_up(std::move(error));
  ++wasted_;
  ticket_.leave();
  if (!listener_.lost) return try_again_or_give_up(std::move(error));
  loss_ = std::move(error);
  const auto lost = listener_.lost;  // which may destroy this call
  lost();
}

void LlmCall::go_on() {
  timer_ = context_.ports.executor.after(
      Milliseconds(0), [this] { try_again_or_give_up(*std::exchange(loss_, {})); });
}

void LlmCall::try_again_or_give_up(Error error) {
  if (!repaired_) {
    if (auto body = context_.provider.protocol().repaired_body(error, *request_.body)) {
      repaired_ = true;
      if (context_.provider.protocol().refuses_always(error))
        context_.provider.remember_refusal(context_.model.name, error);
      else
        context_.provider.thinking().refused(place_);
      request_ = {std::make_shared<const std::string>(std::move(*body)), {}};
      return begin_try();
    }
  }
  if (!worth_another_try(error)) return give_up(std::move(error));
  Milliseconds delay =
      llm_retry_delay(context_.config.retry, error, tries_, context_.ports.random.next());
  // A server that asks for next to nothing again and again isn't asked at each round trip.
  if (refused_ > 1 && error.retry_after)
    delay = std::max(delay, kShortestWait * std::min(refused_ - 1, kShortestWaitsMax));
  const bool refused = error.code == ErrorCode::RateLimited || error.code == ErrorCode::Overloaded;
  if (refused && error.retry_after) {  // else it may be this request alone that is refused
    context_.provider.pause_until(context_.ports.clock.now() + delay);
    ticket_.refused();
  } else {
    ticket_.leave();
  }
  retry_after(delay, error);
}

bool LlmCall::worth_another_try(const Error& error) {
  const LlmRetry& retry = context_.config.retry;
  if (error.code == ErrorCode::Protocol && ++malformed_ >= retry.malformed_tries_max) return false;
  if (error.retry_after && *error.retry_after > retry.retry_after_max) return false;
  if (error.retry != Retry::Later) return false;
  // A refusal that cost nothing is bounded by the call's deadline alone.
  if (refused_unpaid(head_.status, error)) ++refused_;
  return tries_ - refused_ < retry.tries_max;
}

void LlmCall::retry_after(Milliseconds delay, const Error& error) {
  if (context_.ports.clock.now() + delay >= deadline_) {
    timer_ = context_.ports.executor.after(Milliseconds(0), [this, error] { give_up(error); });
    return;
  }
  timer_ = context_.ports.executor.after(delay, [this] { begin_try(); });
}

void LlmCall::give_up(Error error) {
  ticket_.leave();
  const ProviderConfig& provider = context_.provider.config();
  error.message = without_secrets(
      "provider " + provider.name + ", model " + context_.model.name + ": " + error.message,
      provider);
  if (tries_ > 1) error.message += " (try " + std::to_string(tries_) + ")";
  const auto timer = std::move(timer_);         // it may be what is running
  const auto done = std::move(listener_.done);  // which may destroy this call
  done(ModelFailure{std::move(error), tries_, wasted_});
}

}  // namespace ba::llm
