#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tool `query_database`: one read-only SQL statement at one of the named PostgreSQL data
// sources. Five walls, each enough for most: the guard (sql_guard.hpp), the catalog's word on
// volatile functions, a read-only transaction, the rights of the login role, and the limits on
// time, rows and bytes. Result: row_json.hpp. Cancelling a run cancels the statement on the server.
// Control thread only; each data source has threads and connections of its own.

#include <memory>
#include <string>
#include <vector>

#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/sql/sql_config.hpp"

namespace ba::sql {

class QueryDatabase final : public tools::DescribedTool {
 public:
  /// Without `sources` it describes itself, and can't be run. Each has what a model reads of its
  /// tables. Where that is empty
  /// (it was down at the start), its tables are looked up with its first statement that it answers,
  /// and stand in the description from then on.
  QueryDatabase(std::vector<DataSourceConfig> sources, Executor& executor);
  ~QueryDatabase() override;

  std::optional<ToolError> refusal(const std::string& parameters) const override;

  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override;

 private:
  class Source;

  void describe();

  std::vector<std::unique_ptr<Source>> sources_;
};

}  // namespace ba::sql
