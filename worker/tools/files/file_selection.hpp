#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which part of a file is asked for, and what is given of it (file_content.hpp). Values.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "worker/tools/base/result_items.hpp"

namespace ba {

struct FileContent {
  std::string data;  ///< JSON; empty: it is in the selection's `items`
  std::string note;  ///< one line; empty: there is nothing to say
};

struct FileSelection {
  std::int64_t offset = 0;  ///< of the first row, item or line, from 0
  std::int64_t limit = -1;  ///< of the range; -1: to the end
  std::string json_path;    ///< of a JSON file, the place that is read (json_path.hpp); empty: all
  std::int64_t sample = 0;  ///< evenly spaced ones of the range; 0: all of it
  std::int64_t row_limit = 1000;
  std::int64_t bytes_max = 1024 * 1024;  ///< of the rows as JSON
  /// Where rows and items go, which may be more than can be held; null: all are held.
  ResultItems* items = nullptr;
  std::optional<ItemRange> part;  ///< these items of an array are all that is given of it
  bool in_json = false;  ///< set by file_content(): what is listed stands in JSON, at json_path

  std::int64_t held_bytes_max = kHeldBytesMax;

  /// Of what isn't an array, and of each item of one: it is held.
  std::int64_t value_bytes_max() const { return std::min(bytes_max, held_bytes_max); }
};

}  // namespace ba
