#pragma once
// SPDX-License-Identifier: Apache-2.0
// What an incarnation tells metrics about itself, beside the jobs (run_observer). Calls must be
// quick and never throw. Control thread only.

#include "pipeline/core/ledger/retention.hpp"

namespace ba::driver {

class LifeObserver {
 public:
  virtual ~LifeObserver() = default;
  virtual void fenced() = 0;                          ///< this incarnation is dead
  virtual void reaped(int incarnations) = 0;          ///< it took the work of others back
  virtual void shard_stopped() = 0;                   ///< an outbox shard that can't be explained
  virtual void published(int records) = 0;            ///< one batch
  virtual void removed(const RemovedRows& rows) = 0;  ///< from the ledger, by age
};

}  // namespace ba::driver
