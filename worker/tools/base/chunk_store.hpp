#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where a thread of a tool puts the chunks of a result that is too large to be held: it waits for
// each, so that no more than one is under way. Used by one thread at a time.

#include <cstdint>
#include <memory>
#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/tool/chunked_data.hpp"
#include "worker/tools/base/cancellation.hpp"

namespace ba {

class ChunkStore {
 public:
  virtual ~ChunkStore() = default;
  virtual std::int64_t bytes_max() const = 0;  ///< of one result
  virtual void clean(std::string& item) const = 0;
  /// Blocks. The chunks' name; Cancelled when nobody waits for the result any more.
  virtual Result<std::string> put(DataChunk chunk) = 0;
};

/// Over the sink of a call, which belongs to the control thread.
class WaitingChunks final : public ChunkStore {
 public:
  /// What is referred to outlives it.
  WaitingChunks(std::shared_ptr<ChunkSink> sink, Executor& executor,
                const Cancellation& cancellation)
      : sink_(std::move(sink)), executor_(executor), cancellation_(cancellation) {}

  std::int64_t bytes_max() const override { return sink_->bytes_max(); }
  void clean(std::string& item) const override { sink_->clean(item); }
  Result<std::string> put(DataChunk chunk) override;

 private:
  struct Waiting;

  const std::shared_ptr<ChunkSink> sink_;
  Executor& executor_;
  const Cancellation& cancellation_;
};

}  // namespace ba
