#pragma once
// SPDX-License-Identifier: Apache-2.0
// What is to be said of a statement that the server has resolved: may it run, and may its result be
// kept? From facts alone. Pure; any thread.

#include <optional>
#include <set>
#include <string>

#include "pipeline/tool/tool.hpp"
#include "worker/tools/resolved/catalog_facts.hpp"
#include "worker/tools/resolved/resolved_statement.hpp"

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
};

/// What reads and writes have in common: functions, types, relations.
Refusal refusal_of_uses(const StatementVerdict& verdict, const JudgeRules& rules);

/// Beside that, what only reads writes to nothing and locks nothing.
Refusal refusal_of_read(const StatementVerdict& verdict, const JudgeRules& rules);

/// Whether its result may be something else while the data stay the same.
bool changes_by_itself(const StatementVerdict& verdict, const JudgeRules& rules);

/// SQL_NOT_ALLOWED, of type permission_denied.
ToolError not_allowed(std::string message);

}  // namespace ba
