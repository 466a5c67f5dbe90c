#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tool `database_write`: one INSERT, UPDATE or DELETE at one of the data sources that are
// configured for writing. Keyed: it happens once, however often the call is repeated, because the
// call's idempotency key commits in the same transaction as the write (write_session.hpp). Walls:
// the guard with the configured tables (sql_write_guard.hpp), the catalog's word on volatile
// functions, the rights of the login role, limits on time and rows, and permission `admin` of the
// caller. Control thread only; each data source has threads and connections of its own.

#include <memory>
#include <vector>

#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/sql/sql_config.hpp"

namespace ba::sql {

class DatabaseWrite final : public tools::DescribedTool {
 public:
  /// Without `sources` it describes itself, and can't be run.
  DatabaseWrite(std::vector<WriteSourceConfig> sources, Executor& executor);
  ~DatabaseWrite() override;

  std::optional<ToolError> refusal(const std::string& parameters) const override;

  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override;

 private:
  class Source;

  std::vector<std::unique_ptr<Source>> sources_;
};

}  // namespace ba::sql
