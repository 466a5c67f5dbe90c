#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a worker and every command that works on a control thread has: clocks, chance, the thread,
// HTTP. Owned by whoever runs the executor; outlives all that is made with it.

#include <memory>

#include "worker/http/curl_http_client.hpp"
#include "worker/runtime/asio_executor.hpp"
#include "worker/runtime/system_clock.hpp"

namespace ba {

struct ProcessParts {
  SystemClock clock;
  SystemRandom random;
  AsioExecutor executor;
  std::unique_ptr<HttpClient> http = make_curl_http_client(executor.context());
};

/// For a command, which speaks through its answer.
class NoLog final : public Log {
 public:
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view, Fields) override {}
};

}  // namespace ba
