#pragma once
// SPDX-License-Identifier: Apache-2.0
// What every ModelClient does, asked through a rig that each implementation has.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>

#include "pipeline/core/model/model_client.hpp"

namespace ba {

class ModelClientRig {
 public:
  virtual ~ModelClientRig() = default;

  virtual ModelClient& client() = 0;

  /// One the model has an answer to.
  virtual const ModelRequest& request() = 0;

  /// From now on the model's replies are lost on their way, or not any more.
  virtual void lose_replies(bool lose) = 0;

  /// Requests that reached the model.
  virtual int paid() const = 0;

  /// Lets time pass until `reached` holds; false when that takes longer than any test should.
  virtual bool run_until(const std::function<bool()>& reached) = 0;

  /// Lets so much time pass that whatever is under way has happened.
  virtual void settle() = 0;
};

struct ModelClientKind {
  const char* name;
  std::unique_ptr<ModelClientRig> (*make)();
};

class ModelClientContract : public testing::TestWithParam<ModelClientKind> {
 protected:
  /// Asks, and notes what is heard.
  void ask();
  void ask(ModelListener listener);
  bool run_until_lost(int times);
  bool run_until_done();

  std::unique_ptr<ModelClientRig> rig_ = GetParam().make();
  std::unique_ptr<ModelCall> call_;
  int lost_ = 0;
  int done_ = 0;
  std::optional<ModelOutcome> outcome_;
};

}  // namespace ba
