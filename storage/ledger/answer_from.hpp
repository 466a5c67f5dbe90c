#pragma once
// SPDX-License-Identifier: Apache-2.0
// How every port call of this folder runs: one transaction on a pool's thread, the answer through
// the executor.

#include <memory>
#include <utility>

#include "pipeline/base/error.hpp"
#include "pipeline/core/port/executor.hpp"
#include "storage/postgres/session_pool.hpp"

namespace ba::storage {

/// `work(Transaction&) -> Result<T>` may run more than once (see Session::run).
template <typename T, typename Work>
void answer_from(SessionPool& pool, Executor& executor, Completion<T> done, Work work) {
  pool.submit([&executor, done = std::move(done), work = std::move(work)](Session& session) {
    auto answer = std::make_shared<Result<T>>(session.run(work));
    executor.post([done, answer] { done(std::move(*answer)); });
  });
}

}  // namespace ba::storage
