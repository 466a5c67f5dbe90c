#pragma once
// SPDX-License-Identifier: Apache-2.0
// What every part of a worker stands on. Owned by WorkerParts, and outlives all other parts.

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "pipeline/base/repeats.hpp"
#include "pipeline/text/secret/redaction.hpp"
#include "worker/driver/incarnation.hpp"
#include "worker/llm/price_book.hpp"
#include "worker/observe/health.hpp"
#include "worker/observe/metrics.hpp"
#include "worker/observe/structured_log.hpp"
#include "worker/runtime/decorators.hpp"
#include "worker/runtime/parts/process_parts.hpp"
#include "worker/runtime/settings.hpp"
#include "worker/version/version.hpp"

namespace ba::runtime {

/// SIGTERM and SIGINT before the worker runs. Its start may wait in a library for as long as a
/// time-out, and again and again for a server that is out of reach; meanwhile nothing has begun
/// that another worker would miss. So either signal ends the process at once, with exit code 0 and
/// a line in the log. Made and destroyed on the main thread; waits on a thread of its own.
class StartSignals final {
 public:
  /// The log outlives it.
  explicit StartSignals(observe::StructuredLog& log);
  /// From here on the signals are somebody else's, who must already wait for them.
  ~StartSignals();

 private:
  boost::asio::io_context context_{1};
  boost::asio::signal_set signals_;
  std::thread thread_;
};

inline constexpr Milliseconds kBeatAgeMax{10000};  ///< without a tick for so long it is stuck

struct WorkerBasis {
  const config::LoadedConfig& loaded;
  const Decorators& decorators;
  observe::StructuredLog& log;
  const config::Config& config = loaded.config;
  const Redaction secrets{loaded.findings.secrets};
  std::optional<StartSignals> start_signals{std::in_place, log};  ///< until the worker runs
  ProcessParts process{};
  observe::Metrics metrics{program_version(), program_commit()};
  observe::Health health{process.clock, kBeatAgeMax};
  const Publication publication = publication_of(config);
  llm::PriceBook prices{config.llm.models};  ///< with each reading of the configuration
};

/// The port itself, or what a test has put around it, which `outer` then owns.
template <typename Port, typename Around>
Port& decorated(Port& inner, const Around& around, std::unique_ptr<Port>& outer) {
  if (around) outer = around(inner);
  return outer ? *outer : inner;
}

inline constexpr std::chrono::seconds kStartRetry{2};

/// Something the start needs: its name for readiness, and for people.
struct Dependency {
  const char* name;
  const char* title;
};

/// Waiting at the start for what a worker can't be without: repeats a blocking start-up step while
/// its dependency is out of reach. Main thread.
template <typename Step>
auto patiently(Log& log, observe::Health& health, const Dependency& dependency, Step step) {
  const std::string waiting = std::string("waiting for ") + dependency.title;
  health.set(dependency.name, false, waiting);
  Repeats repeats(driver::kRepeatsQuiet);
  for (;;) {
    auto result = step();
    if (result || result.error().retry != Retry::Later) {
      health.set(dependency.name, bool(result));
      return result;
    }
    const Error& error = result.error();
    // Where nothing is out of reach, a person has to do something: readiness says what.
    if (error.code == ErrorCode::PermissionDenied)
      health.set(dependency.name, false, waiting + ": " + error.message);
    if (const auto quiet = repeats.tell(error.message, std::chrono::steady_clock::now()))
      log.warning(
          "waiting for a dependency",
          {{"dependency", dependency.name}, {"error", error.message}, {"like_it_before", *quiet}});
    std::this_thread::sleep_for(kStartRetry);
  }
}

}  // namespace ba::runtime
