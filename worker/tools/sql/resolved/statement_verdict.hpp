#pragma once
// SPDX-License-Identifier: Apache-2.0
// What is to be said of a statement that the server has resolved: may it run, and may its result be
// kept? From facts alone. Pure; any thread.

#include <optional>
#include <set>
#include <string>

#include "pipeline/core/tool/tool.hpp"
#include "worker/tools/sql/resolved/catalog_facts.hpp"
#include "worker/tools/sql/resolved/resolved_statement.hpp"

namespace ba {

/// Why a statement must not run, for a model; none: nothing is against it.
using Refusal = std::optional<ToolError>;

/// What an operator allows beyond the rules.
struct JudgeRules {
  std::set<std::string> functions;  ///< schema.name, that an operator vouches for
};

struct StatementVerdict {
  Refusal refused;
  bool not_cacheable = false;
  /// Whether its plan would tell of rows that it may not read.
  bool holds_back = false;
  /// Whether it depends on nothing but what the server itself watches for a prepared statement.
  bool lasts = true;
  ResolvedStatement resolved;
  CatalogFacts facts;
  std::string tree;  ///< of a statement that is to be prepared again
};

/// What reads and writes have in common: functions, types, relations.
Refusal refusal_of_uses(const StatementVerdict& verdict, const JudgeRules& rules);

/// Beside that, what only reads writes to nothing and locks nothing.
Refusal refusal_of_read(const StatementVerdict& verdict, const JudgeRules& rules);

/// Whether its result may be something else while the data stay the same.
bool changes_by_itself(const StatementVerdict& verdict, const JudgeRules& rules);

/// Whether its plan would tell of rows or tables that it may not read.
bool plan_tells_more(const StatementVerdict& verdict);

/// Whether the server notices when something else comes to stand behind the statement. Of types'
/// checks, orders and casts, of what partitions and heirs have and of what functions call, it takes
/// notice in its plans alone, or not at all.
bool server_watches(const StatementVerdict& verdict);

/// SQL_NOT_ALLOWED, of type permission_denied.
ToolError not_allowed(std::string message);

}  // namespace ba
