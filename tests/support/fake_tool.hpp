#pragma once
// SPDX-License-Identifier: Apache-2.0
// A tool whose answers a test writes down beforehand: one per try, each after a delay of virtual
// time. It keeps what it was asked and how often it was cancelled.

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/port/executor.hpp"
#include "pipeline/tool/tool.hpp"

namespace ba {

class FakeTool final : public Tool {
 public:
  struct Answer {
    RawToolResult result;
    Milliseconds delay{1};
  };

  /// What a test looks at after the tool has gone into a registry.
  struct Record {
    std::deque<Answer> answers;  ///< the last one is given again and again
    std::vector<ToolInvocation> invocations;
    int cancelled = 0;
  };

  FakeTool(Executor& executor, ToolDescriptor descriptor, Record& record)
      : executor_(executor), descriptor_(std::move(descriptor)), record_(record) {}

  const ToolDescriptor& descriptor() const override { return descriptor_; }

  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override {
    record_.invocations.push_back(std::move(invocation));
    Answer answer = record_.answers.front();
    if (record_.answers.size() > 1) record_.answers.pop_front();
    return std::make_unique<Run>(executor_, record_, std::move(answer), std::move(done));
  }

  static Answer ok(std::string json, Milliseconds delay = Milliseconds(1)) {
    Answer answer;
    answer.result.data = std::move(json);
    answer.delay = delay;
    return answer;
  }

  static Answer failed(ToolErrorType type, std::string code = "CODE", std::string text = "text") {
    Answer answer;
    answer.result.error = ToolError{type, std::move(code), std::move(text)};
    return answer;
  }

  static Answer unknown() {
    Answer answer;
    answer.result.outcome_unknown = true;
    return answer;
  }

 private:
  class Run final : public ToolRun {
   public:
    Run(Executor& executor, Record& record, Answer answer, std::function<void(RawToolResult)> done)
        : record_(record), done_(std::move(done)) {
      timer_ = executor.after(answer.delay, [this, result = std::move(answer.result)]() mutable {
        const auto answer_to = std::move(done_);
        done_ = nullptr;
        answer_to(std::move(result));
      });
    }
    ~Run() override {
      if (done_) ++record_.cancelled;
    }

   private:
    Record& record_;
    std::function<void(RawToolResult)> done_;
    std::unique_ptr<Timer> timer_;
  };

  Executor& executor_;
  ToolDescriptor descriptor_;
  Record& record_;
};

}  // namespace ba
