#pragma once
// SPDX-License-Identifier: Apache-2.0
// Waiting at the start for what a worker can't be without. Blocks; main thread.

#include <chrono>
#include <string>
#include <thread>

#include "pipeline/base/repeats.hpp"
#include "worker/driver/incarnation.hpp"
#include "worker/observe/health.hpp"

namespace ba {

inline constexpr std::chrono::seconds kStartRetry{2};

/// Something the start needs: its name for readiness, and for people.
struct Dependency {
  const char* name;
  const char* title;
};

/// Repeats a blocking start-up step while its dependency is out of reach.
template <typename Step>
auto patiently(Log& log, Health& health, const Dependency& dependency, Step step) {
  const std::string waiting = std::string("waiting for ") + dependency.title;
  health.set(dependency.name, false, waiting);
  Repeats repeats(kRepeatsQuiet);
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

}  // namespace ba
