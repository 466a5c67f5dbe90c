// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/base/chunk_store.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace ba {
namespace {

/// How often it is looked whether anybody still waits.
constexpr std::chrono::milliseconds kLook{20};

}  // namespace

/// Shared with the answer, which may come when nobody waits any more.
struct WaitingChunks::Waiting {
  std::mutex mutex;
  std::condition_variable wake;
  std::optional<Result<std::string>> answer;
};

Result<std::string> WaitingChunks::put(DataChunk chunk) {
  const auto waiting = std::make_shared<Waiting>();
  const auto ours = std::make_shared<DataChunk>(std::move(chunk));
  executor_.post([sink = sink_, ours, waiting] {
    sink->put(std::move(*ours), [waiting](Result<std::string> answer) {
      const std::lock_guard lock(waiting->mutex);
      waiting->answer.emplace(std::move(answer));
      waiting->wake.notify_all();
    });
  });
  std::unique_lock lock(waiting->mutex);
  while (!waiting->answer && !cancellation_.cancelled()) waiting->wake.wait_for(lock, kLook);
  if (waiting->answer) return std::move(*waiting->answer);
  Error error;
  error.code = ErrorCode::Cancelled;
  error.message = "nobody waits for the result any more";
  return error;
}

}  // namespace ba
