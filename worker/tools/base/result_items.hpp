// SPDX-License-Identifier: Apache-2.0
#pragma once
// The items of a result that is an array, one by one as they come: held while they are few, put
// away in chunks from then on. Of what was put away only its beginning is kept. The array is the
// same bytes, and has the same hash, whichever way it went. One thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/tool/chunked_data.hpp"
#include "pipeline/core/tool/tool.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"
#include "worker/tools/base/cancellation.hpp"

namespace ba::tools {

/// Where a thread of a tool puts the chunks of a result that is too large to be held: it waits for
/// each, so that no more than one is under way. Used by one thread at a time.
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

/// Bytes of JSON of one item, where a result may have more.
inline constexpr std::int64_t kItemBytesMax = 8LL << 20;

/// What there is for a result beyond its own limit.
struct ResultRoom {
  ChunkStore* store = nullptr;              ///< null: all of it is held
  std::int64_t held_bytes_max = INT64_MAX;  ///< then
};

class ResultItems {
 public:
  /// At most `bytes_max` of JSON. The store outlives this.
  explicit ResultItems(std::int64_t bytes_max, ResultRoom room = {});

  enum class Added {
    Yes,
    TooLarge,  ///< there is no room for it: it isn't among them
    Failed,    ///< nothing more can be added: finish() says why
  };

  /// `item`: JSON. `anyhow`: however large it is.
  Added add(std::string_view item, bool anyhow = false);

  std::int64_t count() const { return count_; }
  std::int64_t bytes_max() const { return bytes_max_; }
  /// Whose limit that is: a key of the configuration, or what a reader can do about it.
  const std::string& limited_by() const { return limited_by_; }

  /// The array. Of what was held alone.
  const std::string& held() const { return held_; }
  bool chunked() const { return put_away_ != nullptr; }

  /// Into a result that succeeded, with its note; last of all. Where items could not be put away,
  /// those that were held are the result, and the note says so.
  void finish(RawToolResult& result);

 private:
  /// Of a result that isn't held.
  struct PutAway {
    ContentHash hash;
    DataChunk chunk;  ///< that is being filled
    ChunkedData told;
    std::int64_t held_items = 0;
  };

  Added begin_to_put_away();
  Added put_away(std::string item);
  Added put_away_as_beginning(std::string item);
  bool flush();
  Added failed(ToolError error);
  void give_what_was_held(RawToolResult& result) const;

  ChunkStore* const store_;
  std::int64_t bytes_max_;
  std::string limited_by_ = "result_bytes_max";
  std::string held_;  ///< the items, with commas between them
  std::int64_t count_ = 0;
  std::unique_ptr<PutAway> put_away_;
  std::optional<ToolError> error_;  ///< the result as a whole is wrong
  bool lost_ = false;               ///< the store took no more
};

}  // namespace ba::tools
