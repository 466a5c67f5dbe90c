#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tokens of a reply, as steps and summaries have them in five columns side by side: input,
// cache_read, cache_write, output, thinking.

#include <pqxx/row>

#include "pipeline/text/message/message.hpp"

namespace ba {

/// From column `first` on; none is null.
inline Usage usage_at(const pqxx::row& row, int first) {
  Usage usage;
  usage.input_tokens = row[first].as<std::int64_t>();
  usage.cache_read_tokens = row[first + 1].as<std::int64_t>();
  usage.cache_write_tokens = row[first + 2].as<std::int64_t>();
  usage.output_tokens = row[first + 3].as<std::int64_t>();
  usage.thinking_tokens = row[first + 4].as<std::int64_t>();
  return usage;
}

}  // namespace ba
