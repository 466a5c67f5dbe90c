#pragma once
// SPDX-License-Identifier: Apache-2.0
// `vector_search` for build_tools() and describe_tools(). Called once at start.

#include <vector>

#include "pipeline/core/port/executor.hpp"
#include "worker/http/http_client.hpp"
#include "worker/tools/build_tools.hpp"
#include "worker/tools/vector/vector_search_config.hpp"

namespace ba {

/// `http` (null: the tool is described only) and `executor` outlive the tool.
ToolMaker vector_search_maker(const VectorSearchConfig& config,
                              const std::vector<DataSourceConfig>& sources, HttpClient* http,
                              Executor& executor);

}  // namespace ba
