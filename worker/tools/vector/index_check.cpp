// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/index_check.hpp"

#include "worker/tools/vector/vector_session.hpp"

namespace ba {

Result<void> check_index(const VectorIndexConfig& index, const DataSourceConfig& source,
                         int dimensions, Milliseconds timeout) {
  VectorOrder order;
  order.index = index;
  order.tenant.assign(1, '0');  // a column of numbers can hold it, too
  if (!source.tenancy.tenants.empty()) order.tenant = source.tenancy.tenants.begin()->first;
  order.embedding.assign(static_cast<std::size_t>(dimensions), 1.0);
  order.results_max = 1;
  VectorSession session(source);
  const Cancellation never;
  const RawToolResult found = session.search(order, timeout, never);
  session.clean_up();
  if (!found.error) return {};
  const bool later = found.error->type == ToolErrorType::TransientError ||
                     found.error->type == ToolErrorType::Timeout;
  Error error;
  error.code = later ? ErrorCode::Unavailable : ErrorCode::NotFound;
  error.message = found.error->message;
  return error;
}

}  // namespace ba
