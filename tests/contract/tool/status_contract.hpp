#pragma once
// SPDX-License-Identifier: Apache-2.0
// What every StatusSource does, asked through a rig that each implementation has.

#include "tests/contract/tool/tool_contract.hpp"

namespace ba {

class StatusRig : public ToolRig {
 public:
  /// Tells a tool that knows nothing by itself what it will say of a call.
  virtual void happened(int number) = 0;
};

struct StatusKind {
  std::string name;
  std::function<std::unique_ptr<StatusRig>()> make;
};

inline void PrintTo(const StatusKind& kind, std::ostream* out) { *out << kind.name; }

class StatusContract : public testing::TestWithParam<StatusKind> {
 protected:
  using HeardStatus = Heard<EffectStatus>;

  /// Runs a call to its end.
  void run_call(int number);
  void ask(HeardStatus& question, int number);
  bool run_until(const std::function<bool()>& reached) { return rig_->run_until(reached); }

  std::unique_ptr<StatusRig> rig_ = GetParam().make();
};

}  // namespace ba
