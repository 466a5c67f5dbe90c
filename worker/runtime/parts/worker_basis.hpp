#pragma once
// SPDX-License-Identifier: Apache-2.0
// What every part of a worker stands on. Owned by WorkerParts, and outlives all other parts.

#include <memory>
#include <optional>

#include "worker/llm/price_book.hpp"
#include "worker/observe/health.hpp"
#include "worker/observe/metrics.hpp"
#include "worker/observe/redaction.hpp"
#include "worker/observe/structured_log.hpp"
#include "worker/runtime/decorators.hpp"
#include "worker/runtime/parts/process_parts.hpp"
#include "worker/runtime/settings.hpp"
#include "worker/runtime/start_signals.hpp"
#include "worker/version/version.hpp"

namespace ba {

inline constexpr Milliseconds kBeatAgeMax{10000};  ///< without a tick for so long it is stuck

struct WorkerBasis {
  const LoadedConfig& loaded;
  const Decorators& decorators;
  StructuredLog& log;
  const Config& config = loaded.config;
  const Redaction secrets{loaded.findings.secrets};
  std::optional<StartSignals> start_signals{std::in_place, log};  ///< until the worker runs
  ProcessParts process{};
  Metrics metrics{program_version(), program_commit()};
  Health health{process.clock, kBeatAgeMax};
  const Publication publication = publication_of(config);
  PriceBook prices{config.llm.models};  ///< with each reading of the configuration
};

/// The port itself, or what a test has put around it, which `outer` then owns.
template <typename Port, typename Around>
Port& decorated(Port& inner, const Around& around, std::unique_ptr<Port>& outer) {
  if (around) outer = around(inner);
  return outer ? *outer : inner;
}

}  // namespace ba
