#pragma once
// SPDX-License-Identifier: Apache-2.0
// Sends the spans of a queue to an OTLP/HTTP collector: a batch as soon as one is full, and what
// there is once a second; one request at a time. A collector that is busy or down gets the same
// batch again a few times, then it is given up; meanwhile the queue fills and drops. Owned by
// whoever has its thread; that thread only, but for the queue.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/base/lifetime.hpp"
#include "pipeline/core/port/clock.hpp"
#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/port/log.hpp"
#include "pipeline/core/port/random.hpp"
#include "worker/http/http_client.hpp"
#include "worker/trace/otlp_request.hpp"
#include "worker/trace/span_queue.hpp"
#include "worker/trace/trace_ids.hpp"

namespace ba::trace {

struct OtlpPorts {
  Executor& executor;
  const Clock& clock;
  Random& random;
  Log& log;
};

class OtlpExport final : private http::HttpReceiver {
 public:
  static constexpr Milliseconds kPause{1'000};  ///< between two looks at the queue
  static constexpr int kTriesMax = 5;           ///< of one batch

  /// Borrows queue and ports.
  OtlpExport(OtlpConfig config, TraceResource resource,
             std::unique_ptr<http::HttpEndpoint> endpoint, SpanQueue& queue, OtlpPorts ports);
  ~OtlpExport() override;

  void start();

  /// A whole batch waits.
  void wake() { send_next(); }

  /// Sends what there is without waiting between tries, and calls `done` once; what has not gone
  /// after `patience` is dropped and counted. Call it last.
  void drain(Milliseconds patience, std::function<void()> done);

 private:
  void look();
  void send_next();
  void send();
  void ended();
  void give_up(SpanQueue::Counter reason, const std::string& why);
  void batch_done();
  void stop_draining();

  void on_head(http::HttpHead head) override;
  http::HttpNext on_body(std::string_view piece) override;
  void on_end(http::HttpEnd end) override;

  const OtlpConfig config_;
  const TraceResource resource_;
  const std::unique_ptr<http::HttpEndpoint> endpoint_;
  SpanQueue& queue_;
  OtlpPorts ports_;
  std::unique_ptr<Timer> pause_;
  std::unique_ptr<Timer> retry_;
  std::unique_ptr<Timer> patience_;
  std::unique_ptr<http::HttpCall> call_;
  std::shared_ptr<const std::string> body_;  ///< of the batch under way; shared with its call
  std::int64_t spans_ = 0;                   ///< of that batch; 0: none is under way
  int tries_ = 0;
  int status_ = 0;
  std::optional<Milliseconds> asked_wait_;
  std::string answer_;
  std::string failure_;
  SteadyTime warned_at_ = SteadyTime::min();
  std::function<void()> drained_;
  Lifetime lifetime_;
};

}  // namespace ba::trace
