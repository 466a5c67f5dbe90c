#pragma once
// SPDX-License-Identifier: Apache-2.0
// A worker's models: who is asked, what a question may cost, how many tokens it has. Owned by
// WorkerParts; control thread only.

#include <memory>

#include "worker/runtime/configured_meter.hpp"
#include "worker/runtime/parts/worker_basis.hpp"

namespace ba {

class ModelParts final {
 public:
  Result<void> build(WorkerBasis& basis);

  /// With known secrets screened.
  ModelClient& client() { return *used_; }
  ConfiguredMeter& meter() { return *meter_; }
  ExactCounter* counter() { return counter_.get(); }

 private:
  std::unique_ptr<ConfiguredMeter> meter_;
  std::unique_ptr<ModelClient> models_;
  std::unique_ptr<ExactCounter> counter_;
  std::unique_ptr<ModelClient> screened_;
  std::unique_ptr<ModelClient> decorated_;  ///< none: no test has one
  ModelClient* used_ = nullptr;
};

}  // namespace ba
