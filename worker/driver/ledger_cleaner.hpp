#pragma once
// SPDX-License-Identifier: Apache-2.0
// Lets the ledger remove what is old enough: looks every interval, and goes on without waiting for
// it while batches are full. Belongs to one incarnation; control thread only.

#include <functional>
#include <memory>

#include "pipeline/base/lifetime.hpp"
#include "pipeline/core/ledger/retention.hpp"
#include "pipeline/core/port/executor.hpp"

namespace ba::driver {

struct CleanerOptions {
  RetentionRules rules;
  Milliseconds interval{60'000};
  Milliseconds pause{100};  ///< between two full batches, for those who work
};

struct CleanerEvents {
  std::function<void(const RemovedRows&)> removed;  ///< something was
  std::function<void(const Error&)> trouble;        ///< it is tried again
};

class LedgerCleaner final {
 public:
  LedgerCleaner(Retention& retention, Executor& executor, CleanerOptions options,
                CleanerEvents events);

  /// Does nothing at all when the rules keep everything.
  void start(IncarnationId self);

  /// No batch is asked for after this call.
  void stop();

 private:
  void arm(Milliseconds delay);
  void remove();
  void removed(Result<RemovedRows> result);

  Retention& retention_;
  Executor& executor_;
  CleanerOptions options_;
  CleanerEvents events_;
  IncarnationId self_;
  std::unique_ptr<Timer> timer_;
  Lifetime lifetime_;
};

}  // namespace ba::driver
