// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/write_answer.hpp"

#include "worker/tools/sql/connection/pg_value.hpp"

namespace ba {
namespace {

std::int64_t bytes_of(const RowSink::Row& row) {
  std::int64_t bytes = 0;
  for (const auto& value : row) bytes += value ? static_cast<std::int64_t>(value->size()) : 0;
  return bytes;
}

}  // namespace

std::int64_t row_bytes_max(std::int64_t result_bytes_max) {
  return result_bytes_max + 16LL * 1024 * 1024;
}

ReturnedRows::ReturnedRows(int row_limit, std::int64_t bytes_max)
    : rows_(row_limit, bytes_max), row_bytes_max_(row_bytes_max(bytes_max)) {}

void ReturnedRows::columns(const std::vector<Column>& columns) {
  any_ = true;
  rows_.columns(columns);
}

bool ReturnedRows::row(const Row& row) {
  // Mostly the connection notices while such a row arrives; not always on a busy machine.
  if (bytes_of(row) > row_bytes_max_) return false;
  full_ = full_ || !rows_.row(row);
  return true;
}

std::string ReturnedRows::answer(const std::string& message, std::int64_t affected) const {
  return "{\"success\":true,\"message\":" + json_quoted(message) +
         ",\"rows_affected\":" + std::to_string(affected) +
         (any_ ? ",\"returned\":" + rows_.json_with_note() : std::string()) + "}";
}

ToolError too_many_rows(const std::string& rows, int most, const std::string& remedy) {
  return {ToolErrorType::InvalidParameters, "TOO_MANY_ROWS",
          "The statement would change " + rows + " rows; at most " + std::to_string(most) +
              " are allowed. Nothing was written. Narrow the condition, or split it" + remedy};
}

std::string done_message(const GuardedWrite& write, std::int64_t affected) {
  const std::string rows = std::to_string(affected) + (affected == 1 ? " row " : " rows ");
  switch (write.statement) {
    case WriteStatement::Insert:
      return rows + (write.upserts ? "inserted or updated in " : "inserted into ") + write.table;
    case WriteStatement::Update:
      return rows + "updated in " + write.table;
    case WriteStatement::Delete:
      return rows + "deleted from " + write.table;
  }
  return rows;
}

}  // namespace ba
