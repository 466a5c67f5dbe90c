// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/trace_exporter.hpp"

#include "worker/http/curl_http_client.hpp"
#include "worker/trace/otlp_request.hpp"

namespace ba::runtime {

TraceExporter::TraceExporter(TraceExporterOptions options)
    : options_(std::move(options)), queue_(options_.queue_max) {}

TraceExporter::~TraceExporter() { stop(Milliseconds(0)); }

Result<std::unique_ptr<TraceExporter>> TraceExporter::start(TraceExporterOptions options,
                                                            Log& log) {
  std::unique_ptr<TraceExporter> made(new TraceExporter(std::move(options)));
  TraceExporter& self = *made;
  self.http_ = http::make_curl_http_client(self.executor_.context());
  auto endpoint = self.http_->open(trace::otlp_endpoint(self.options_.otlp, trace::kTracesPath));
  if (!endpoint) return endpoint.error();
  self.export_ = std::make_unique<trace::OtlpExport>(
      self.options_.otlp, self.options_.resource, std::move(*endpoint), self.queue_,
      trace::OtlpPorts{self.executor_, self.clock_, self.random_, log});
  self.thread_ = std::thread([&self] {
    self.executor_.post([&self] { self.export_->start(); });
    self.executor_.run();
  });
  return made;
}

void TraceExporter::add(trace::Span span) {
  const std::size_t waiting = queue_.add(std::move(span));
  if (waiting > 0 && waiting % options_.otlp.batch_size == 0)
    executor_.post([this] { export_->wake(); });
}

void TraceExporter::stop(Milliseconds patience) {
  if (!thread_.joinable()) return;
  executor_.post([this, patience] { export_->drain(patience, [this] { executor_.finish(); }); });
  thread_.join();
}

}  // namespace ba::runtime
