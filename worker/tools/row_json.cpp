// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/row_json.hpp"

#include <set>

#include "worker/tools/pg_value.hpp"

namespace ba {
namespace {

std::string unused(const std::string& name, const std::set<std::string>& used) {
  std::string key = name;
  for (int number = 2; used.contains(key); ++number) key = name + "_" + std::to_string(number);
  return key;
}

constexpr const char* kAdvice = "Aggregate, filter, select fewer columns, or use LIMIT and OFFSET.";

}  // namespace

void RowJson::columns(const std::vector<Column>& columns) {
  std::set<std::string> used;
  for (const Column& column : columns) {
    const std::string key = unused(column.name, used);
    used.insert(key);
    keys_.push_back(json_quoted(key));
    types_.push_back(column.type);
  }
}

bool RowJson::row(const Row& row) {
  if (count_ == row_limit_) {
    note_ = "Only the first " + std::to_string(count_) + " rows; there are more. " + kAdvice;
    return false;
  }
  std::string json = "{";
  for (std::size_t i = 0; i < row.size(); ++i) {
    json += (i > 0 ? "," : "") + keys_[i] + ":";
    json += row[i] ? pg_value_as_json(*row[i], types_[i]) : "null";
  }
  json += "}";
  if (static_cast<std::int64_t>(rows_.size() + json.size()) > bytes_max_) {
    oversize();
    return false;
  }
  rows_ += (count_++ > 0 ? "," : "") + json;
  return true;
}

void RowJson::oversize() {
  if (count_ == 0) {
    note_ = "The first row alone has more than the " + std::to_string(bytes_max_) +
            " bytes that are read. Select fewer columns, or parts of large values, such as "
            "left(column, 1000).";
    return;
  }
  note_ = "Only the first " + std::to_string(count_) + " rows: more than " +
          std::to_string(bytes_max_) + " bytes are not read. " + kAdvice;
}

std::string RowJson::json() const { return "[" + rows_ + "]"; }

std::string RowJson::json_with_note() const {
  std::string json = "{";
  if (count_ != 1) json += "\"row_count\":" + std::to_string(count_) + ",";
  if (truncated()) json += "\"truncated\":true,\"note\":" + json_quoted(note_) + ",";
  return json + "\"rows\":[" + rows_ + "]}";
}

}  // namespace ba
