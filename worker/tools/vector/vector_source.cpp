// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/vector_source.hpp"

#include <utility>

namespace ba {

VectorSource::VectorSource(DataSourceConfig config, Executor& executor)
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
      [this, order = std::move(order), timeout](int worker, const Cancellation& cancellation,
                                                const BlockingRuns::Answer& answer) {
        VectorSession& session = *sessions_[static_cast<std::size_t>(worker)];
        answer(session.search(order, timeout, cancellation));
        session.clean_up();
      },
      std::move(done));
}

}  // namespace ba
