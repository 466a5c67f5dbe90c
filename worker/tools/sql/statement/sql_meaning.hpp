#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads SQL for semantic keys: PostgreSQL's own parse tree, without places in the text, and with
// the few differences taken out that change nothing. And says why the same text may have another
// result a moment later, as far as a text shows it; what only the catalog knows (views, functions
// of the database's own) is asked where it runs. Pure; any thread.

#include "pipeline/text/semantic/semantic_parameters.hpp"
#include "worker/tools/sql/statement/sql_tree.hpp"

namespace ba {

class SqlMeaning final : public SqlReader {
 public:
  explicit SqlMeaning(GuardLimits limits = {}) : limits_(limits) {}

  /// `canonical` is JSON: the tree, keys sorted.
  Result<SqlReading> read(std::string_view sql) const override;

 private:
  GuardLimits limits_;
};

}  // namespace ba
