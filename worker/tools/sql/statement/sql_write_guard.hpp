#pragma once
// SPDX-License-Identifier: Apache-2.0
// Proves from the parse tree that a text is one INSERT, UPDATE or DELETE on one of the configured
// tables, whose every other part only reads, as sql_guard.hpp has it: no statement inside a WITH
// writes, no function is known by its name to have side effects. UPDATE and DELETE need a WHERE
// that looks at a column. What names stand for, and what the database does by itself then
// (defaults, triggers, rules, cascades), the server says (resolved/write_reach.hpp). Pure; any
// thread.

#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "worker/tools/sql/sql_config.hpp"
#include "worker/tools/sql/statement/sql_guard.hpp"
#include "worker/tools/sql/statement/sql_tree.hpp"

namespace ba::sql {

struct GuardedWrite {
  GuardedSql sql;
  WriteStatement statement = WriteStatement::Insert;
  std::string table;             ///< as it is configured
  bool upserts = false;          ///< ON CONFLICT DO UPDATE: it may update where it can't insert
  bool leaves_rows_out = false;  ///< ON CONFLICT: it may write fewer rows than it is given
};

/// Errors as guard() has them.
Result<GuardedWrite> guard_write(std::string_view sql, const WriteRules& rules,
                                 const GuardLimits& limits = {});

}  // namespace ba::sql
