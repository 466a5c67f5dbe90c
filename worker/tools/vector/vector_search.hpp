#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tool `vector_search`: the texts of a configured index that are nearest in meaning to a query.
// An embeddings service makes a vector of the query; the rows are in PostgreSQL and compared there
// by pgvector, or here, each one, within stated limits. Destroying a run closes its connection and
// cancels its statement. Control thread only.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/vector/vector_search_config.hpp"

namespace ba::vector {

class VectorSource;

class VectorSearch final : public tools::DescribedTool {
 public:
  /// Without an endpoint (of embedding_endpoint()) it describes itself, and can't be run. `sources`
  /// has each data source that an index names.
  VectorSearch(VectorSearchConfig config, const std::vector<sql::DataSourceConfig>& sources,
               std::unique_ptr<http::HttpEndpoint> endpoint, Executor& executor);
  ~VectorSearch() override;

  std::optional<ToolError> refusal(const std::string& parameters) const override;

  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override;

 private:
  const VectorIndexConfig* index(const std::string& name) const;
  VectorSource& source(const std::string& name) const;

  const VectorSearchConfig config_;
  Executor& executor_;
  std::unique_ptr<http::HttpEndpoint> endpoint_;
  std::vector<std::unique_ptr<VectorSource>> sources_;
};

}  // namespace ba::vector
