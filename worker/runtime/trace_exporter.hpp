#pragma once
// SPDX-License-Identifier: Apache-2.0
// The thread that writes and sends spans, so that neither costs the control thread anything. Owned
// by the process.

#include <memory>
#include <thread>

#include "pipeline/core/port/log.hpp"
#include "worker/http/http_client.hpp"
#include "worker/runtime/asio_executor.hpp"
#include "worker/runtime/parts/process_parts.hpp"
#include "worker/trace/otlp_export.hpp"

namespace ba::runtime {

struct TraceExporterOptions {
  trace::OtlpConfig otlp;
  trace::TraceResource resource;
  std::size_t queue_max = 10'000;  ///< spans that wait
};

class TraceExporter final {
 public:
  /// Starts the thread. `log` outlives the exporter.
  static Result<std::unique_ptr<TraceExporter>> start(TraceExporterOptions options, Log& log);
  ~TraceExporter();

  /// Never waits. Any thread.
  void add(trace::Span span);

  trace::SpanCounts counts() const { return queue_.counts(); }

  /// Sends what there is, waiting at most `patience` for it, and ends the thread.
  void stop(Milliseconds patience);

 private:
  explicit TraceExporter(TraceExporterOptions options);

  const TraceExporterOptions options_;
  SystemClock clock_;
  SystemRandom random_;
  trace::SpanQueue queue_;
  AsioExecutor executor_;
  std::unique_ptr<http::HttpClient> http_;
  std::unique_ptr<trace::OtlpExport> export_;
  std::thread thread_;
};

}  // namespace ba::runtime
