// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is to be said of a statement that the server has resolved: may it run, and may its result be
// kept? From facts alone. Pure; any thread.

#include <chrono>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "pipeline/core/tool/tool.hpp"
#include "worker/tools/sql/resolved/catalog_facts.hpp"
#include "worker/tools/sql/resolved/literal_hazards.hpp"
#include "worker/tools/sql/resolved/resolved_statement.hpp"

namespace ba::sql {

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

/// Verdicts on statements that a connection has prepared, the newest hundred of them, and which of
/// its prepared statements are to go. Owned by a StatementJudge and used by its thread.
class KnownVerdicts {
 public:
  using Clock = std::chrono::steady_clock;

  struct Known {
    std::string name;  ///< of the prepared statement
    Refusal refused;
    bool not_cacheable = false;
    bool holds_back = false;
    Clock::time_point judged{};
    /// The server's snapshot before it was judged: it holds as long as that is the same, so as long
    /// as no transaction that writes has ended. Empty: the server itself watches over all
    /// that the verdict depends on.
    std::string moment = {};
  };

  /// For a new connection, which has prepared nothing.
  void clear();

  std::optional<Known> find(const std::string& key) const;
  /// The oldest goes where there are too many.
  void remember(const std::string& key, Known known);
  void forget(const std::string& key);
  void forget_all();

  /// A name that no other prepared statement of the connection has.
  std::string new_name() { return "ba_statement_" + std::to_string(++names_); }
  /// What was prepared as `name` is not needed any more.
  void drop(const std::string& name) { dropped_.push_back(name); }
  /// What was dropped since the last call.
  std::vector<std::string> take_dropped();

 private:
  std::unordered_map<std::string, Known> known_;
  std::list<std::string> order_;  ///< keys of known_, the oldest first
  std::vector<std::string> dropped_;
  std::size_t names_ = 0;
};

/// What is still to be asked of the catalog before a verdict: of the objects found so far, those
/// that nothing is known of. `asked`: objects without a fact of their own that were asked for
/// before. `known`: what users have put behind the system's objects.
CatalogQuestion open_question(const StatementVerdict& verdict, const ResolvedStatement& asked,
                              const LiteralHazards& known);

}  // namespace ba::sql
