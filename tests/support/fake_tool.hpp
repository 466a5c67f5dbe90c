#pragma once
// SPDX-License-Identifier: Apache-2.0
// A tool whose answers a test writes down beforehand: one per try, each after a delay of virtual
// time. It keeps what it was asked and how often it was cancelled. A reconcilable one has a status
// function, whose answers are written down in the same way.

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

class FakeTool final : public Tool, public StatusSource {
 public:
  struct Answer {
    RawToolResult result;
    Milliseconds delay{1};
  };

  /// What a test looks at after the tool has gone into a registry.
  struct Record {
    std::deque<Answer> answers;  ///< the last one is given again and again
    std::vector<ToolInvocation> invocations;
    std::deque<EffectStatus> statuses;  ///< each after 1 ms; the last one again and again
    std::vector<ToolInvocation> asked;  ///< for their status
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
    return std::make_unique<Run<RawToolResult>>(executor_, record_, answer.delay,
                                                std::move(answer.result), std::move(done));
  }

  StatusSource* status_source() override {
    return descriptor_.effect == EffectClass::Reconcilable ? this : nullptr;
  }

  std::unique_ptr<ToolRun> status(ToolInvocation invocation,
                                  std::function<void(EffectStatus)> done) override {
    record_.asked.push_back(std::move(invocation));
    EffectStatus status = record_.statuses.front();
    if (record_.statuses.size() > 1) record_.statuses.pop_front();
    return std::make_unique<Run<EffectStatus>>(executor_, record_, Milliseconds(1),
                                               std::move(status), std::move(done));
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

  static EffectStatus happened(std::string json) {
    EffectStatus status;
    status.verdict = EffectStatus::Verdict::Happened;
    status.result.data = std::move(json);
    return status;
  }

  static EffectStatus did_not_happen() {
    EffectStatus status;
    status.verdict = EffectStatus::Verdict::DidNotHappen;
    return status;
  }

  static EffectStatus cannot_tell(std::optional<ToolErrorType> why = std::nullopt) {
    EffectStatus status;
    if (why) status.result.error = ToolError{*why, "STATUS", "no status"};
    return status;
  }

  static Answer unknown() {
    Answer answer;
    answer.result.outcome_unknown = true;
    return answer;
  }

 private:
  template <typename T>
  class Run final : public ToolRun {
   public:
    Run(Executor& executor, Record& record, Milliseconds delay, T answer,
        std::function<void(T)> done)
        : record_(record), done_(std::move(done)) {
      timer_ = executor.after(delay, [this, answer = std::move(answer)]() mutable {
        const auto answer_to = std::move(done_);
        done_ = nullptr;
        answer_to(std::move(answer));
      });
    }
    ~Run() override {
      if (done_) ++record_.cancelled;
    }

   private:
    Record& record_;
    std::function<void(T)> done_;
    std::unique_ptr<Timer> timer_;
  };

  Executor& executor_;
  ToolDescriptor descriptor_;
  Record& record_;
};

}  // namespace ba
