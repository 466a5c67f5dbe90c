// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/http_service/service_exchange.hpp"

#include <array>
#include <utility>

#include "pipeline/core/tool/observation.hpp"
#include "pipeline/core/tool/retry_policy.hpp"
#include "worker/http/retry_wait.hpp"
#include "worker/tools/base/tool_maker.hpp"

namespace ba::http_service {
namespace {

using Type = ToolErrorType;

/// Placeholders of words: {service} and {section}.
struct EndRow {
  ErrorCode from;
  Type type;
  const char* code;
  const char* words;
};

constexpr const char* kUnreachable =
    "{service} can't be reached, or broke off its answer. Try again later; if it stays so, an "
    "operator must check that it runs at {section}.base_url";

constexpr std::array<EndRow, 7> kEnds{{
    {ErrorCode::Unavailable, Type::TransientError, "UNREACHABLE", kUnreachable},
    // Of the connection: the time of the whole call is kept elsewhere.
    {ErrorCode::Timeout, Type::TransientError, "UNREACHABLE", kUnreachable},
    {ErrorCode::Authentication, Type::DependencyError, "CERTIFICATE_REFUSED",
     "{service}'s certificate can't be verified. An operator must set {section}.ca_file, or mend "
     "the certificate"},
    {ErrorCode::Protocol, Type::DependencyError, "NOT_HTTP",
     "the server behind {service} doesn't speak proper HTTP. An operator must check "
     "{section}.base_url"},
    {ErrorCode::InvalidArgument, Type::DependencyError, "MISCONFIGURED",
     "{service} can't be asked as configured. An operator must check {section}.base_url and "
     "ca_file"},
    {ErrorCode::PermissionDenied, Type::DependencyError, "PROXY_REFUSED",
     "the proxy before {service} lets nothing through. An operator must see to {section}.proxy, "
     "proxy_user and proxy_password"},
    {ErrorCode::Internal, Type::InternalError, "FAILED", "the request of {service} failed"},
}};

struct StatusRow {
  int first;  ///< of a range
  int last;
  Type type;
  const char* code;
  const char* words;  ///< null: the service's own
  const char* ServiceName::*own = nullptr;
};

constexpr std::array<StatusRow, 14> kStatuses{{
    {300, 399, Type::DependencyError, "REDIRECTED",
     "redirects aren't followed: an operator must set {section}.base_url to where it is"},
    {400, 400, Type::InvalidParameters, "REFUSED", nullptr, &ServiceName::refused},
    {401, 401, Type::DependencyError, "UNAUTHORIZED", nullptr, &ServiceName::key},
    {402, 402, Type::DependencyError, "UNPAID", "an operator must see to the account at {service}"},
    {403, 403, Type::DependencyError, "UNAUTHORIZED", nullptr, &ServiceName::key},
    {407, 407, Type::DependencyError, "UNAUTHORIZED",
     "an operator must set {section}.proxy_user and proxy_password"},
    {408, 408, Type::TransientError, "UNAVAILABLE", "try again later"},
    {413, 414, Type::InvalidParameters, "REFUSED", "shorten query"},
    {422, 422, Type::InvalidParameters, "REFUSED", nullptr, &ServiceName::refused},
    {425, 425, Type::TransientError, "UNAVAILABLE", "try again later"},
    {429, 429, Type::RateLimit, "RATE_LIMITED", "it asks for fewer requests: wait"},
    {400, 499, Type::DependencyError, "ADDRESS_WRONG", nullptr, &ServiceName::wrong_address},
    {500, 599, Type::TransientError, "UNAVAILABLE",
     "it failed inside. Try again later; if it stays so, an operator must look at it"},
    {0, 999, Type::DependencyError, "ADDRESS_WRONG", nullptr, &ServiceName::wrong_address},
}};

std::string filled(std::string words, const ServiceName& name) {
  const auto fill = [&](std::string_view place, const char* with) {
    for (std::size_t at = words.find(place); at != words.npos; at = words.find(place))
      words.replace(at, place.size(), with);
  };
  fill("{service}", name.service);
  fill("{section}", name.section);
  return words;
}

RawToolResult service_error(const ServiceName& name, Type type, const char* code,
                            std::string message) {
  return tools::failed_with({type, std::string(name.code) + "_" + code, std::move(message)});
}

/// A queue that is full, or an answer that is too long.
RawToolResult beyond_limit(const ServiceName& name, const Error& error, std::int64_t bytes_max) {
  if (error.retry == Retry::Later)
    return service_error(name, Type::ResourceError, "BUSY",
                         std::string("too many ") + name.calls + " are waiting for " +
                             name.service + ". Try again later");
  return service_error(name, Type::DependencyError, "ANSWER_TOO_LARGE",
                       std::string(name.service) + "'s answer is larger than " +
                           std::to_string(bytes_max) + " bytes. " + filled(name.too_large, name));
}

}  // namespace

RawToolResult service_failure(const ServiceName& name, const Error& error,
                              std::int64_t answer_bytes_max) {
  if (error.code == ErrorCode::LimitExceeded) return beyond_limit(name, error, answer_bytes_max);
  const EndRow* row = kEnds.data();
  while (row != &kEnds.back() && row->from != error.code) ++row;
  return service_error(name, row->type, row->code, filled(row->words, name));
}

RawToolResult service_failure(const ServiceName& name, int status,
                              std::optional<Milliseconds> asked) {
  const StatusRow* row = kStatuses.data();
  while (row != &kStatuses.back() && (status < row->first || status > row->last)) ++row;
  const char* words = row->words != nullptr ? row->words : name.*(row->own);
  RawToolResult failure = service_error(name, row->type, row->code,
                                        std::string(name.service) + " answered with HTTP status " +
                                            std::to_string(status) + ": " + filled(words, name));
  add_retry_after(failure, asked);
  return failure;
}

RawToolResult service_answer_invalid(const ServiceName& name, const std::string& what) {
  return service_error(
      name, Type::DependencyError, "ANSWER_INVALID",
      std::string(name.service) + "'s answer " + what + ". " + filled(name.invalid, name));
}

ServiceExchange::ServiceExchange(const ServiceName& name, std::int64_t answer_bytes_max,
                                 Executor& executor, std::function<void(RawToolResult)> done)
    : name_(name),
      answer_bytes_max_(answer_bytes_max),
      executor_(executor),
      done_(std::move(done)) {}

void ServiceExchange::ask(http::HttpEndpoint& endpoint, http::HttpPost request,
                          Milliseconds timeout) {
  limit_ = executor_.after(timeout, [weak = weak_from_this(), timeout] {
    if (const auto self = weak.lock()) self->finish(tools::failed_with(timeout_error(timeout)));
  });
  call_ = endpoint.post(std::move(request), *this);
}

void ServiceExchange::answer_soon(RawToolResult result) {
  executor_.post([weak = weak_from_this(), result = std::move(result)] {
    if (const auto self = weak.lock()) self->finish(result);
  });
}

void ServiceExchange::on_head(http::HttpHead head) {
  status_ = head.status;
  asked_wait_ = http::asked_wait(head);
}

/// What an error says isn't wanted: its status is enough.
http::HttpNext ServiceExchange::on_body(std::string_view piece) {
  if (!succeeded()) return http::HttpNext::Complete;
  body_ += piece;
  return http::HttpNext::More;
}

/// Told from inside the HTTP client, where its endpoint could not be destroyed.
void ServiceExchange::on_end(http::HttpEnd end) {
  executor_.post([weak = weak_from_this(), end = std::move(end)] {
    if (const auto self = weak.lock()) self->ended(end);
  });
}

void ServiceExchange::ended(const http::HttpEnd& end) {
  if (!done_) return;
  if (!end.result) return finish(service_failure(name_, end.result.error(), answer_bytes_max_));
  if (!succeeded()) return finish(service_failure(name_, status_, asked_wait_));
  call_.reset();
  answered(std::exchange(body_, {}));
}

void ServiceExchange::finish(RawToolResult result) {
  const auto done = std::exchange(done_, nullptr);
  if (!done) return;
  call_.reset();
  stop_work();
  limit_.reset();
  done(std::move(result));
}

}  // namespace ba::http_service
