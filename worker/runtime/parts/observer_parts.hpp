#pragma once
// SPDX-License-Identifier: Apache-2.0
// Who is told what the driver does: metrics and log, the progress topic, traces. Owned by
// WorkerParts; control thread only.

#include <memory>

#include "worker/kafka/progress_producer.hpp"
#include "worker/runtime/observer_list.hpp"
#include "worker/runtime/parts/worker_basis.hpp"
#include "worker/runtime/progress_observer.hpp"
#include "worker/runtime/reporting_observer.hpp"
#include "worker/runtime/trace_exporter.hpp"
#include "worker/runtime/tracing_observer.hpp"

namespace ba::runtime {

class ObserverParts final {
 public:
  Result<void> build(WorkerBasis& basis);

  driver::RunObserver& of_runs() { return told_.face(); }
  driver::LifeObserver& of_lives() { return *reporting_; }

  void forget_runs();  ///< of a life that is over
  void report(observe::Metrics& metrics) const;
  void stop(Milliseconds patience);  ///< sends what is left

 private:
  Result<void> build_progress(WorkerBasis& basis);
  Result<void> build_tracing(WorkerBasis& basis);

  std::unique_ptr<ReportingObserver> reporting_;
  std::unique_ptr<kafka::ProgressProducer> producer_;  ///< none: kafka.progress is off
  std::unique_ptr<ProgressObserver> progress_;         ///< the same
  std::unique_ptr<TraceExporter> traces_;              ///< none: nothing says where traces go
  std::unique_ptr<TracingObserver> tracing_;           ///< the same
  std::unique_ptr<driver::RunObserver> of_test_;       ///< none: no test has one
  ObserverList told_;                                  ///< of all these
};

}  // namespace ba::runtime
