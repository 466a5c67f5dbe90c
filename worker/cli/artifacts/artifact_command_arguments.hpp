#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the commands of `ba-agent artifact` are given. Values.

#include <cstdint>
#include <optional>
#include <string>

namespace ba {

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

}  // namespace ba
