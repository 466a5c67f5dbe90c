// SPDX-License-Identifier: Apache-2.0
// VectorSource and check_index() of vector_session.hpp.

#include <utility>

#include "worker/tools/vector/vector_session.hpp"

namespace ba::vector {

VectorSource::VectorSource(sql::DataSourceConfig config, Executor& executor)
    : config_(std::move(config)),
      sessions_(new_sessions()),
      runs_("vec-" + config_.name, config_.pool_size, executor) {}

std::vector<std::unique_ptr<VectorSession>> VectorSource::new_sessions() const {
  std::vector<std::unique_ptr<VectorSession>> sessions;
  for (int i = 0; i < config_.pool_size; ++i)
    sessions.push_back(std::make_unique<VectorSession>(config_));
  return sessions;
}

std::unique_ptr<ToolRun> VectorSource::search(VectorOrder order, Milliseconds timeout,
                                              std::function<void(RawToolResult)> done) {
  return runs_.start(
      [this, order = std::move(order), timeout](int worker, const tools::Cancellation& cancellation,
                                                const tools::BlockingRuns::Answer& answer) {
        VectorSession& session = *sessions_[static_cast<std::size_t>(worker)];
        answer(session.search(order, timeout, cancellation));
        session.clean_up();
      },
      std::move(done));
}

Result<void> check_index(const VectorIndexConfig& index, const sql::DataSourceConfig& source,
                         int dimensions, Milliseconds timeout) {
  VectorOrder order;
  order.index = index;
  order.tenant.assign(1, '0');  // a column of numbers can hold it, too
  if (!source.tenancy.tenants.empty()) order.tenant = source.tenancy.tenants.begin()->first;
  order.embedding.assign(static_cast<std::size_t>(dimensions), 1.0);
  order.results_max = 1;
  VectorSession session(source);
  const tools::Cancellation never;
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

}  // namespace ba::vector
