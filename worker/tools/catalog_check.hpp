#pragma once
// SPDX-License-Identifier: Apache-2.0
// What only the database's catalog knows of a guarded statement: whether a name in it (function,
// operator, cast) resolves to something volatile there. Pure values; the sessions ask.

#include <set>
#include <string>
#include <vector>

#include "pipeline/tool/tool.hpp"
#include "worker/tools/pg_connection.hpp"
#include "worker/tools/sql_walk.hpp"

namespace ba {

/// One statement of our own whose first column names what is volatile, and its parameters.
struct CatalogQuestion {
  const char* sql = nullptr;
  std::vector<std::string> parameters;
};
CatalogQuestion volatile_names_in(const GuardedSql& statement);

/// Collects the first column of each row.
class NameSink final : public RowSink {
 public:
  explicit NameSink(std::set<std::string>& found) : found_(found) {}
  void columns(const std::vector<Column>&) override {}
  bool row(const Row& row) override {
    found_.insert(std::string(row.at(0).value_or("")));
    return true;
  }
  void oversize() override {}

 private:
  std::set<std::string>& found_;
};

/// The refusal of a statement with such names; SQL_NOT_ALLOWED.
ToolError volatile_refused(const std::set<std::string>& names);

}  // namespace ba
