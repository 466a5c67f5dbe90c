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

/// One whose first column says what the second is: the definition of a "view", the name of a
/// "column", of one of texts ("text"), or a "reason": what stands behind a statement's names that
/// may change while the data stay the same.
CatalogQuestion changeable_things_in(const GuardedSql& statement);

/// Notes whether that answer makes the statement's result one that can't be kept.
class ChangeableSink final : public RowSink {
 public:
  explicit ChangeableSink(const GuardedSql& statement) : timed_(statement.timed) {}

  void columns(const std::vector<Column>&) override {}
  bool row(const Row& row) override {
    take(row.at(0).value_or(""), row.at(1).value_or(""));
    return true;
  }
  void oversize() override { reason_ = true; }
  bool found() const;

 private:
  void take(std::string_view kind, std::string_view text);

  bool reason_ = false;
  std::set<std::string> texts_;    ///< columns
  std::set<std::string> columns_;  ///< all, where a view is named
  std::set<std::string> outside_;  ///< that become a time in a view, which doesn't define them
  std::set<std::string> timed_;    ///< that become a date or time, in the statement or in a view
};

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
