#pragma once
// SPDX-License-Identifier: Apache-2.0
// What rows of several tables have in some columns each: the tokens of replies, and places in a
// job. Values.

#include "pipeline/text/message/message.hpp"
#include "pipeline/text/message/position.hpp"
#include "storage/postgres/rows.hpp"

namespace ba::storage {

struct UsageColumns {
  ColumnName input = "input_tokens";
  ColumnName cache_read = "cache_read_tokens";
  ColumnName cache_write = "cache_write_tokens";
  ColumnName output = "output_tokens";
  ColumnName thinking = "thinking_tokens";
};

/// None is null.
inline Usage usage_of(const Row& row, const UsageColumns& columns = UsageColumns()) {
  Usage usage;
  usage.input_tokens = row.big(columns.input);
  usage.cache_read_tokens = row.big(columns.cache_read);
  usage.cache_write_tokens = row.big(columns.cache_write);
  usage.output_tokens = row.big(columns.output);
  usage.thinking_tokens = row.big(columns.thinking);
  return usage;
}

/// Of round, step and idx.
inline Position position_of(const Row& row) {
  return {row.number("round"), row.number("step"), row.number("idx")};
}

}  // namespace ba::storage
