// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/connection/row_json.hpp"

#include <algorithm>
#include <set>

namespace ba::sql {
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
  if (items_.count() == row_limit_) {
    stopped_ = true;
    note_ = "Only the first " + std::to_string(row_limit_) + " rows; there are more. ";
    if (!row_limit_key_.empty())
      note_ += "At most " + std::to_string(row_limit_) + " are read (" + row_limit_key_ + "). ";
    note_ += kAdvice;
    return false;
  }
  std::string json = "{";
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) json += ',';
    json += keys_[i];
    json += ':';
    json += row[i] ? pg_value_as_json(*row[i], types_[i]) : "null";
  }
  json += '}';
  if (too_large(static_cast<std::int64_t>(json.size()))) {
    oversize();
    return false;
  }
  const tools::ResultItems::Added added = items_.add(json);
  if (added == tools::ResultItems::Added::TooLarge) oversize();
  stopped_ = added != tools::ResultItems::Added::Yes;
  return !stopped_;
}

/// Of a result that may have more than any one row.
bool RowJson::too_large(std::int64_t row_bytes) const {
  return row_bytes > tools::kItemBytesMax && items_.bytes_max() > tools::kItemBytesMax;
}

void RowJson::oversize() {
  stopped_ = true;
  const std::int64_t row_max = std::min(items_.bytes_max(), tools::kItemBytesMax);
  if (items_.count() == 0) {
    note_ = "The first row alone has more than the " + std::to_string(row_max) +
            " bytes that are read. Select fewer columns, or parts of large values, such as "
            "left(column, 1000).";
    return;
  }
  note_ = "Only the first " + std::to_string(items_.count()) + " rows: more than " +
          std::to_string(items_.bytes_max()) + " bytes are not read (" + items_.limited_by() +
          "), nor more than " + std::to_string(row_max) + " of one row. " + kAdvice;
}

std::string RowJson::json_with_note() const {
  std::string json = "{";
  if (items_.count() != 1) json += "\"row_count\":" + std::to_string(items_.count()) + ",";
  if (truncated()) json += "\"truncated\":true,\"note\":" + json_quoted(note_) + ",";
  return json + "\"rows\":[" + items_.held() + "]}";
}

void RowJson::finish(RawToolResult& result) {
  result.note = note_;
  items_.finish(result);
}

}  // namespace ba::sql
