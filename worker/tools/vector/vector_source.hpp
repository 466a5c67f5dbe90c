#pragma once
// SPDX-License-Identifier: Apache-2.0
// A data source with threads and connections of its own for searches: as many as its pool_size,
// beside those of query_database. Owned by the tool; control thread only.

#include <functional>
#include <memory>
#include <vector>

#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/tool/tool.hpp"
#include "worker/tools/base/blocking_runs.hpp"
#include "worker/tools/vector/vector_session.hpp"

namespace ba {

class VectorSource {
 public:
  VectorSource(DataSourceConfig config, Executor& executor);

  const std::string& name() const { return config_.name; }

  /// Destroying the run cancels the search, at the server too.
  std::unique_ptr<ToolRun> search(VectorOrder order, Milliseconds timeout,
                                  std::function<void(RawToolResult)> done);

 private:
  std::vector<std::unique_ptr<VectorSession>> new_sessions() const;

  const DataSourceConfig config_;
  std::vector<std::unique_ptr<VectorSession>> sessions_;  ///< by worker
  BlockingRuns runs_;  ///< last: its threads end before what they use
};

}  // namespace ba
