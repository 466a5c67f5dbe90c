// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads SQL for semantic keys: PostgreSQL's own parse tree, without places in the text, and with
// the few differences taken out that change nothing. And says why the same text may have another
// result a moment later, as far as a text shows it; what only the catalog knows (views, functions
// of the database's own) is asked where it runs. Pure; any thread.

#include <optional>
#include <string>

#include "pipeline/text/semantic/semantic_parameters.hpp"
#include "worker/tools/sql/statement/sql_tree.hpp"

namespace ba::sql {

/// "it asks for the time: now()"; none: nothing of the kind is in it.
std::optional<std::string> why_not_cacheable(const SqlStatement& statement);

/// Whether a text in it has a word as 'now': where it becomes a date, that is done when the
/// statement is prepared.
bool spells_the_present(const SqlStatement& statement);

class SqlMeaning final : public SqlReader {
 public:
  explicit SqlMeaning(GuardLimits limits = {}) : limits_(limits) {}

  /// `canonical` is JSON: the tree, keys sorted.
  Result<SqlReading> read(std::string_view sql) const override;

 private:
  GuardLimits limits_;
};

}  // namespace ba::sql
