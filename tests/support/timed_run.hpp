#pragma once
// SPDX-License-Identifier: Apache-2.0
// A run of a counted tool: acts 2 ms after its start, so that it can end before, and answers 10 ms
// after that, so that it can end between.

#include <functional>
#include <memory>
#include <utility>

#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

template <typename Answer>
class TimedRun final : public ToolRun {
 public:
  TimedRun(Executor& executor, std::function<Answer()> act, std::function<void(Answer)> done)
      : executor_(executor), act_(std::move(act)), done_(std::move(done)) {
    timer_ = executor_.after(Milliseconds{2}, [this] { begin(); });
  }

 private:
  void begin() {
    timer_ = executor_.after(Milliseconds{10}, [this, answer = act_()] {
      const Answer last = answer;
      const auto done = std::move(done_);  // which destroys this run
      done(last);
    });
  }

  Executor& executor_;
  std::function<Answer()> act_;
  std::function<void(Answer)> done_;
  std::unique_ptr<Timer> timer_;
};

}  // namespace ba
