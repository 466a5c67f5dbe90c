#pragma once
// SPDX-License-Identifier: Apache-2.0
// One call of a tool by a caller with some permission, through the runtime, to its end. One thread.

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "pipeline/core/tool/tool_runtime.hpp"
#include "tests/support/fixed_random.hpp"
#include "tests/support/virtual_executor.hpp"

namespace ba {

/// Without repeats. `loop` is an Executor with run_until(condition).
template <typename Loop>
ToolResult called_as(PermissionLevel permission, const ToolRegistry& registry,
                     const std::string& tool, const std::string& args, Loop& loop) {
  ToolRuntimeConfig config;
  config.retry.max_retries = 0;
  const VirtualExecutor clock;
  FixedRandom random;
  ToolRuntime runtime(registry, config, clock, loop, random);
  ToolRequest request;
  request.call.name = tool;
  request.call.args_json = args;
  request.tenant = TenantId("acme");
  request.permission = permission;
  std::optional<ToolResult> result;
  const auto run = runtime.run(request, [&](ToolResult value) { result = std::move(value); });
  EXPECT_TRUE(loop.run_until([&] { return result.has_value(); }));
  return result.value_or(ToolResult{});
}

}  // namespace ba
