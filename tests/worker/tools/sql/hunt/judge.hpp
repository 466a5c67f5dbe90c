#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the hunt asks: whether a tool would run a statement, and whether it would keep the result.
// The seam between the evidence and the guards. One thread.

#include <functional>
#include <memory>
#include <string>

namespace ba::hunt {

struct Verdict {
  bool allowed = false;
  bool may_be_kept = false;
  std::string reason;  ///< of a refusal
};

class Judge {
 public:
  virtual ~Judge() = default;

  /// Never runs the statement.
  virtual Verdict judge(const std::string& sql) = 0;
};

/// A judge with connections of its own.
using MakeJudge = std::function<std::unique_ptr<Judge>()>;

}  // namespace ba::hunt
