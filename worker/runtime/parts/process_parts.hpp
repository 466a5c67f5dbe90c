#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a worker and every command that works on a control thread has: clocks, chance, the thread,
// HTTP. Owned by whoever runs the executor; outlives all that is made with it.

#include <memory>
#include <random>

#include "pipeline/core/port/clock.hpp"
#include "pipeline/core/port/random.hpp"
#include "worker/http/curl_http_client.hpp"
#include "worker/runtime/asio_executor.hpp"

namespace ba::runtime {

class SystemClock final : public Clock {
 public:
  SteadyTime now() const override { return std::chrono::steady_clock::now(); }
  WallTime wall() const override {
    return std::chrono::time_point_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now());
  }
};

/// Seeded from the operating system; not for secrets. Control thread only.
class SystemRandom final : public Random {
 public:
  std::uint64_t next() override { return engine_(); }

 private:
  std::mt19937_64 engine_{std::random_device{}()};
};

struct ProcessParts {
  SystemClock clock;
  SystemRandom random;
  AsioExecutor executor;
  std::unique_ptr<http::HttpClient> http = http::make_curl_http_client(executor.context());
};

/// For a command, which speaks through its answer.
class NoLog final : public Log {
 public:
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view, Fields) override {}
};

}  // namespace ba::runtime
