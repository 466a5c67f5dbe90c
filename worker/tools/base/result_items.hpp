#pragma once
// SPDX-License-Identifier: Apache-2.0
// The items of a result that is an array, one by one as they come: held while they are few, put
// away in chunks from then on. Of what was put away only its beginning is kept. The array is the
// same bytes, and has the same hash, whichever way it went. One thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/core/tool/tool.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"
#include "worker/tools/base/chunk_store.hpp"

namespace ba {

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

}  // namespace ba
