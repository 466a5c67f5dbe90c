#pragma once
// SPDX-License-Identifier: Apache-2.0
// A tool whose results are what the call asks for: rows, nothing, an error, a long text, letters of
// all kinds. One thread.

#include <memory>
#include <string>
#include <utility>

#include "pipeline/core/tool/tool.hpp"
#include "pipeline/text/message/json_view.hpp"
#include "tests/support/virtual_executor.hpp"

namespace ba {

class GivingTool final : public Tool {
 public:
  GivingTool(VirtualExecutor& time, std::string name, EffectClass effect) : time_(time) {
    descriptor_.name = std::move(name);
    descriptor_.description = "gives what is asked for";
    descriptor_.parameters_schema =
        R"({"type":"object","properties":{"give":{"type":"string"},"rows":{"type":"array"}}})";
    descriptor_.effect = effect;
  }

  const ToolDescriptor& descriptor() const override { return descriptor_; }

  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override {
    const auto parameters = JsonView::parse(invocation.parameters);
    RawToolResult result = result_for(parameters ? (*parameters)["give"].text() : "");
    return std::make_unique<Run>(
        time_.after(Milliseconds(1), [result = std::move(result), done = std::move(done)] {
          const auto answer = done;  // which may destroy the run and this closure
          answer(result);
        }));
  }

 private:
  struct Run final : ToolRun {
    explicit Run(std::unique_ptr<Timer> timer) : timer_(std::move(timer)) {}
    std::unique_ptr<Timer> timer_;
  };

  static RawToolResult result_for(const std::string& what) {
    constexpr std::size_t kLongBytes = 3'000;
    RawToolResult result;
    result.data = R"([{"n":1},{"n":2}])";
    if (what == "nothing") result.data = R"("")";
    if (what == "blanks") result.data = R"(" \n\t ")";
    if (what == "null") result.data = "null";
    if (what == "long") result.data = '"' + std::string(kLongBytes, 'x') + '"';
    if (what == "letters") result.data = R"("\u00fc\u6c49 \ud83d\ude00 \u2028 <think>\\\" \u0001")";
    if (what == "image")
      result.data = R"([{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}])";
    if (what == "error")
      result.error = ToolError{ToolErrorType::NotFound, "GONE", "it isn't there any more"};
    return result;
  }

  VirtualExecutor& time_;
  ToolDescriptor descriptor_;
};

}  // namespace ba
