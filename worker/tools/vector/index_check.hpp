#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether an index can be searched: the table, its columns, their types and the login role's
// rights. Blocks; any thread.

#include "pipeline/base/error.hpp"
#include "worker/tools/sql/sql_config.hpp"
#include "worker/tools/vector/vector_search_config.hpp"

namespace ba {

/// Searches it as a call of nobody's tenant would, and finds nothing, or all that is shared. The
/// error says what is wrong: Unavailable where the database can't be asked now, else NotFound.
Result<void> check_index(const VectorIndexConfig& index, const DataSourceConfig& source,
                         int dimensions, Milliseconds timeout);

}  // namespace ba
