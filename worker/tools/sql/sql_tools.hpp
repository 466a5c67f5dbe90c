#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tools over SQL, for build_tools(): `query_database` and `database_write`. Any thread.

#include <vector>

#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/sql/sql_config.hpp"

namespace ba {

std::vector<ToolMaker> sql_tools(const std::vector<DataSourceConfig>& sources,
                                 const std::vector<WriteSourceConfig>& write_sources);

}  // namespace ba
