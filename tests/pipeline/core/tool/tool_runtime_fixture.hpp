#pragma once
// SPDX-License-Identifier: Apache-2.0
// A ToolRuntime with one scripted tool, under virtual time.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>

#include "pipeline/core/tool/tool_runtime.hpp"
#include "tests/support/fake_tool.hpp"
#include "tests/support/fixed_random.hpp"
#include "tests/support/virtual_executor.hpp"

namespace ba {

class Runtime : public testing::Test {
 protected:
  Runtime() {
    descriptor.name = "query";
    descriptor.effect = EffectClass::Pure;
    descriptor.parameters_schema =
        R"({"properties":{"n":{"type":"integer","default":7}},"additionalProperties":false})";
    request.call.id = ToolCallId("call_1");
    request.call.name = "query";
    request.tenant = TenantId("acme");
    request.caller_id = "default";
    request.job = LedgerJobId(12);
    request.position = {0, 2, 1};
    request.idempotency_key = "key";
  }

  /// Registers the tool, runs the request to its end and gives its result.
  ToolResult run(std::deque<FakeTool::Answer> answers) {
    record.answers = std::move(answers);
    std::optional<ToolResult> result;
    handle = make_runtime().run(request, [&](ToolResult value) { result = std::move(value); });
    EXPECT_FALSE(result) << "answered from inside run()";
    time.run();
    EXPECT_TRUE(result);
    EXPECT_EQ(time.pending(), 0u);
    return result.value_or(ToolResult{});
  }

  ToolRuntime& make_runtime() {
    EXPECT_TRUE(registry.add(std::make_unique<FakeTool>(time, descriptor, record)));
    return runtime.emplace(registry, config, time, time, random);
  }

  VirtualExecutor time;
  FixedRandom random;
  ToolDescriptor descriptor;
  FakeTool::Record record;
  ToolRegistry registry;
  ToolRuntimeConfig config;
  ToolRequest request;
  std::optional<ToolRuntime> runtime;
  std::unique_ptr<ToolRun> handle;
};

}  // namespace ba
