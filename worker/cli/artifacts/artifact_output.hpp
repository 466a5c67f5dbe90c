#pragma once
// SPDX-License-Identifier: Apache-2.0
// The part of an artifact's data that a person asked for, and the file it goes to. Used by the
// command; one thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"

namespace ba::cli {

/// What the commands of `ba-agent artifact` are given. Values.
struct ArtifactListArguments {
  std::string tenant;  ///< empty: any; so are the next two
  std::string conversation;
  std::string job;
  int rows_max = 100;
  bool json = false;
  bool jsonl = false;
};

/// Of data, both ends included, counted from 0.
struct ByteRange {
  std::int64_t first = 0;
  std::optional<std::int64_t> last;  ///< none: to the end

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

struct ArtifactShowArguments {
  std::string id;
  std::string tenant;  ///< empty: any
  bool data = false;   ///< else what is known about it; the next two are of the data
  std::optional<ByteRange> range;
  std::string output;  ///< file; empty: standard output
  bool json = false;
};

/// What goes to standard output at once; more needs a file.
inline constexpr std::int64_t kShownBytesMax = 1 << 20;

/// Those bytes; InvalidArgument where the range begins behind the end. `data` outlives the answer.
Result<std::string_view> part_of(const std::string& data, const std::optional<ByteRange>& range);

/// Writes a new file that its owner alone may read, whole or not at all. InvalidArgument when it is
/// there already.
Result<void> write_new_file(const std::string& name, std::string_view data);

}  // namespace ba::cli
