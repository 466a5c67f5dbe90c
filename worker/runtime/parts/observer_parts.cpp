// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/parts/observer_parts.hpp"

#include "pipeline/text/contract/result_id.hpp"
#include "worker/http/url.hpp"
#include "worker/runtime/parts/kafka_parts.hpp"

namespace ba::runtime {

Result<void> ObserverParts::build(WorkerBasis& basis) {
  reporting_ = std::make_unique<ReportingObserver>(basis.metrics, basis.log, basis.process.clock,
                                                   basis.config.llm);
  if (basis.decorators.observer) of_test_ = basis.decorators.observer();
  if (of_test_) told_.add(*of_test_);
  told_.add(*reporting_);
  if (auto made = build_progress(basis); !made) return made;
  return build_tracing(basis);
}

Result<void> ObserverParts::build_progress(WorkerBasis& basis) {
  if (!basis.config.kafka.progress) return {};
  const auto encoding = basis.publication.encoding;
  auto producer = kafka::ProgressProducer::create(kafka_with_log(basis.config, basis.log),
                                                  std::string(media_type(encoding)));
  if (!producer) return producer.error();
  producer_ = std::move(producer.value());
  progress_ = std::make_unique<ProgressObserver>(
      basis.process.clock, [this, encoding](const ProgressEvent& event) {
        producer_->send({result_key(event.tenant, event.job_id), encode_progress(event, encoding)});
      });
  told_.add(*progress_);
  return {};
}

Result<void> ObserverParts::build_tracing(WorkerBasis& basis) {
  const config::Config& config = basis.config;
  if (!config.observability.traces()) return {};
  auto started = TraceExporter::start(trace_exporter_options_of(config), basis.log);
  if (!started) return started.error();
  traces_ = std::move(*started);
  ProcessParts& process = basis.process;
  tracing_ = std::make_unique<TracingObserver>(
      tracing_options_of(config),
      TracingPorts{process.clock, process.random, config.llm, basis.secrets},
      [this](trace::Span span) { traces_->add(std::move(span)); });
  basis.log.info("exporting traces",
                 {{"endpoint", http::server_of(config.observability.otlp_endpoint)}});
  told_.add(*tracing_);
  return {};
}

void ObserverParts::forget_runs() {
  if (tracing_) tracing_->forget();
}

void ObserverParts::report(observe::Metrics& metrics) const {
  if (producer_) {
    const kafka::ProgressCounts progress = producer_->counts();
    metrics.progress_totals(progress.sent, progress.dropped);
  }
  if (traces_) {
    const trace::SpanCounts spans = traces_->counts();
    metrics.trace_totals({spans.exported, spans.dropped_full, spans.dropped_refused,
                          spans.dropped_unreachable, spans.dropped_at_end});
  }
}

void ObserverParts::stop(Milliseconds patience) {
  if (traces_) traces_->stop(patience);
}

}  // namespace ba::runtime
