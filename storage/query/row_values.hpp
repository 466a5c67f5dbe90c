#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reading the columns of a result row one after the other. Values; one thread.

#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "pipeline/text/message/message.hpp"
#include "pipeline/text/message/position.hpp"
#include "storage/postgres/bytea.hpp"

namespace ba {

class RowValues {
 public:
  explicit RowValues(const pqxx::row& row) : row_(row) {}

  std::string text() {
    const auto field = row_[next_++];
    return {field.c_str(), field.size()};
  }
  std::vector<std::string> lines();
  std::string bytes() { return bytes_of_hex(text()); }
  int number() { return static_cast<int>(big()); }
  std::int64_t big() { return row_[next_++].as<std::int64_t>(0); }
  bool flag() { return row_[next_++].as<bool>(false); }
  /// Of a timestamp, in UTC as every session has it: "2026-03-01 12:00:00.123456+00".
  WallTime time() { return optional_time().value_or(WallTime{}); }
  Milliseconds milliseconds() { return Milliseconds(big()); }

  std::optional<std::int64_t> optional_big() {
    if (!row_[next_].is_null()) return big();
    ++next_;
    return std::nullopt;
  }
  std::optional<WallTime> optional_time();
  Usage usage() {
    Usage usage;
    usage.input_tokens = big();
    usage.cache_read_tokens = big();
    usage.cache_write_tokens = big();
    usage.output_tokens = big();
    usage.thinking_tokens = big();
    return usage;
  }
  Position position() {
    Position position;
    position.round = number();
    position.step = number();
    position.index = number();
    return position;
  }

 private:
  const pqxx::row& row_;
  int next_ = 0;
};

}  // namespace ba
