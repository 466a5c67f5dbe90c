// SPDX-License-Identifier: Apache-2.0
#pragma once
// One call of a tool that asks a service: the request, its answer, and the time that all of the
// call may take. Shared by the run that was started and the tasks it has posted; when the run goes,
// so does the connection. Control thread only.
//
// And what a call that failed is to the model: tables of how a request may end, and of HTTP
// statuses. Each message says what was wrong and who can do what; none has anything of the request
// or of the answer, so that neither a key nor a server's words get into a conversation.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/tool/tool.hpp"
#include "worker/http/http_client.hpp"

namespace ba::http_service {

/// What a tool's messages call its service, and what they advise. Constants.
struct ServiceName {
  const char* code;           ///< what codes begin with: "SEARCH"
  const char* service;        ///< "the search service"
  const char* section;        ///< where it is configured: "tools.web_search"
  const char* calls;          ///< what waits for it: "searches"
  const char* refused;        ///< of a request that it can't read
  const char* key;            ///< of credentials that it doesn't take
  const char* wrong_address;  ///< of a place where it isn't
  const char* too_large;      ///< a sentence, of an answer beyond its limit
  const char* invalid;        ///< a sentence, of an answer that isn't as it should be
};

/// Of a request without a whole answer. `answer_bytes_max`: the limit on it.
RawToolResult service_failure(const ServiceName& name, const Error& error,
                              std::int64_t answer_bytes_max);

/// Of an answer whose status isn't 2xx, and what it asks to be waited for.
RawToolResult service_failure(const ServiceName& name, int status,
                              std::optional<Milliseconds> asked);

/// Of an answer that isn't what the configuration says; `what` follows "the … answer".
RawToolResult service_answer_invalid(const ServiceName& name, const std::string& what);

class ServiceExchange : public http::HttpReceiver,
                        public std::enable_shared_from_this<ServiceExchange> {
 public:
  /// `name` and `executor` outlive the exchange.
  ServiceExchange(const ServiceName& name, std::int64_t answer_bytes_max, Executor& executor,
                  std::function<void(RawToolResult)> done);

  /// Sends the request. TIMEOUT unless the call has its result when `timeout` is over. Once; the
  /// endpoint outlives the exchange.
  void ask(http::HttpEndpoint& endpoint, http::HttpPost request, Milliseconds timeout);

  /// Without asking anybody.
  void answer_soon(RawToolResult result);

 protected:
  /// The first result is the call's; later ones are dropped. Whoever is told may destroy the run,
  /// and the tool after it: all that is under way goes first.
  void finish(RawToolResult result);

 private:
  /// The body of an answer whose status is 2xx. It calls finish(), then or later.
  virtual void answered(std::string body) = 0;
  /// Ends what answered() has begun.
  virtual void stop_work() {}

  void on_head(http::HttpHead head) override;
  http::HttpNext on_body(std::string_view piece) override;
  void on_end(http::HttpEnd end) override;
  void ended(const http::HttpEnd& end);
  bool succeeded() const { return status_ >= 200 && status_ <= 299; }

  const ServiceName& name_;
  const std::int64_t answer_bytes_max_;
  Executor& executor_;
  std::function<void(RawToolResult)> done_;  ///< empty once it has been told
  int status_ = 0;
  std::optional<Milliseconds> asked_wait_;
  std::string body_;
  std::unique_ptr<Timer> limit_;
  std::unique_ptr<http::HttpCall> call_;
};

/// The exchange, as a tool's run.
class ServiceRun final : public ToolRun {
 public:
  explicit ServiceRun(std::shared_ptr<ServiceExchange> exchange) : exchange_(std::move(exchange)) {}

 private:
  std::shared_ptr<ServiceExchange> exchange_;  ///< tasks that it posted look for it
};

}  // namespace ba::http_service
