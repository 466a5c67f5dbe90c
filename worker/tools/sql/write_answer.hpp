#pragma once
// SPDX-License-Identifier: Apache-2.0
// What database_write answers: the rows that a write returned, what it says it did, and the answer
// that stands beside a key already. Values and sinks; one thread.

#include <cstdint>
#include <string>

#include "pipeline/core/tool/tool.hpp"
#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/connection/row_json.hpp"
#include "worker/tools/sql/statement/sql_write_guard.hpp"

namespace ba {

/// A longer row ends the call: a statement that must come to its end can't leave it out.
std::int64_t row_bytes_max(std::int64_t result_bytes_max);

class NoRows final : public RowSink {
 public:
  void columns(const std::vector<Column>&) override {}
  bool row(const Row&) override { return true; }
  void oversize() override {}
};

/// The stored answer, and whether it is that of the same statement.
class StoredAnswer final : public RowSink {
 public:
  void columns(const std::vector<Column>&) override {}
  bool row(const Row& row) override {
    found = true;
    same = row.at(0) == "true";
    answer = std::string(row.at(1).value_or(""));
    return true;
  }
  void oversize() override {}

  bool found = false;
  bool same = false;
  std::string answer;
};

/// The rows of RETURNING as far as they fit. All are read: the statement must come to its end.
class ReturnedRows final : public RowSink {
 public:
  ReturnedRows(int row_limit, std::int64_t bytes_max);
  void columns(const std::vector<Column>& columns) override;
  bool row(const Row& row) override;
  void oversize() override { rows_.oversize(); }

  /// {"success":true,"message":…,"rows_affected":n[,"returned":…]}
  std::string answer(const std::string& message, std::int64_t affected) const;

 private:
  RowJson rows_;
  std::int64_t row_bytes_max_;
  bool any_ = false;
  bool full_ = false;
};

/// "3 rows updated in orders".
std::string done_message(const GuardedWrite& write, std::int64_t affected);

/// `rows`: how many, in words; `remedy`: what else is to be said.
ToolError too_many_rows(const std::string& rows, int most, const std::string& remedy = "");

}  // namespace ba
