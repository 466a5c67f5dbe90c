// SPDX-License-Identifier: Apache-2.0
#pragma once
// Searches at one data source, each in a read-only transaction of its own that sees one state of
// the table and is rolled back. The rights and the row security of the login role hold. Connects
// when first needed and again when the connection broke. Owned and used by one thread.

#include <functional>
#include <memory>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/tool/tool.hpp"
#include "worker/tools/base/blocking_runs.hpp"
#include "worker/tools/base/cancellation.hpp"
#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/connection/session_settings.hpp"
#include "worker/tools/sql/sql_config.hpp"
#include "worker/tools/vector/vector_search_config.hpp"
#include "worker/tools/vector/vector_sql.hpp"

namespace ba::vector {

class VectorSession {
 public:
  /// `source` outlives the session.
  explicit VectorSession(const sql::DataSourceConfig& source) : source_(source) {}

  /// The nearest rows as nearest_rows.hpp has them, or why there are none. By pgvector where the
  /// column is of its type; else every row is read and compared here. clean_up() comes next.
  RawToolResult search(const VectorOrder& order, Milliseconds timeout,
                       const tools::Cancellation& cancellation);

  /// Cancels what is left of the search and ends its transaction. Apart from search(), so that an
  /// answer need not wait for it.
  void clean_up();

 private:
  using Failure = sql::PgConnection::Failure;

  struct Ask {
    const VectorOrder& order;
    Milliseconds timeout;  ///< of each statement
    sql::SqlWait until;
  };

  Failure attempt(const Ask& ask, RawToolResult& result);
  Failure connect(const Ask& ask);
  Failure begin(const Ask& ask);
  Failure ask_columns(const Ask& ask, VectorColumns& columns, RawToolResult& result);
  Failure count(const Ask& ask, RawToolResult& result);
  Failure collect(const Ask& ask, const VectorColumns& columns, RawToolResult& result);
  Failure run(const Ask& ask, const VectorStatement& statement, sql::RowSink& sink);

  const sql::DataSourceConfig& source_;
  sql::PgConnection connection_;
  sql::SessionFacts facts_;
  sql::SessionSettings settings_;
  bool reusable_ = false;  ///< the last search ended by itself
};

/// A data source with threads and connections of its own for searches: as many as its pool_size,
/// beside those of query_database. Owned by the tool; control thread only.
class VectorSource {
 public:
  VectorSource(sql::DataSourceConfig config, Executor& executor);

  const std::string& name() const { return config_.name; }

  /// Destroying the run cancels the search, at the server too.
  std::unique_ptr<ToolRun> search(VectorOrder order, Milliseconds timeout,
                                  std::function<void(RawToolResult)> done);

 private:
  std::vector<std::unique_ptr<VectorSession>> new_sessions() const;

  const sql::DataSourceConfig config_;
  std::vector<std::unique_ptr<VectorSession>> sessions_;  ///< by worker
  tools::BlockingRuns runs_;  ///< last: its threads end before what they use
};

/// Whether an index can be searched: the table, its columns, their types and the login role's
/// rights. Blocks; any thread. Searches it as a call of nobody's tenant would, and finds nothing,
/// or all that is shared. The error says what is wrong: Unavailable where the database can't be
/// asked now, else NotFound.
Result<void> check_index(const VectorIndexConfig& index, const sql::DataSourceConfig& source,
                         int dimensions, Milliseconds timeout);

}  // namespace ba::vector
