#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tools over SQL: `query_database` and `database_write`. Any thread.

#include "worker/tools/base/tool_family.hpp"

namespace ba::sql {

tools::ToolFamily sql_tools();

}  // namespace ba::sql
