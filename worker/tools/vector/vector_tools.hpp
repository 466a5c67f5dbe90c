#pragma once
// SPDX-License-Identifier: Apache-2.0
// `vector_search`, for build_tools(). Any thread.

#include <vector>

#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/vector/vector_search_config.hpp"

namespace ba {

/// `sources` has each data source that an index names.
std::vector<ToolMaker> vector_tools(const VectorSearchConfig& config,
                                    const std::vector<DataSourceConfig>& sources);

}  // namespace ba
