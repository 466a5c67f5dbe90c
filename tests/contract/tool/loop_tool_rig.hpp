#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the rigs of tools with threads of their own have in common: real time on a loop.

#include <memory>

#include "tests/contract/tool/tool_contract.hpp"
#include "tests/support/loop_executor.hpp"

namespace ba {

class LoopToolRig : public ToolRig {
 public:
  Tool& tool() override { return *tool_; }
  void close() override { tool_.reset(); }

  bool run_until(const std::function<bool()>& reached) override {
    return executor_.run_until(reached);
  }
  void settle() override {
    bool over = false;
    const auto timer = executor_.after(Milliseconds(50), [&] { over = true; });
    EXPECT_TRUE(executor_.run_until([&] { return over; }));
  }

 protected:
  LoopExecutor executor_;
  std::unique_ptr<Tool> tool_;  ///< made by the rig
};

}  // namespace ba
