// SPDX-License-Identifier: Apache-2.0
// vector_search, called by somebody who has less than the permission it needs.
#include "pipeline/tool/tool_runtime.hpp"
#include "tests/support/fixed_random.hpp"
#include "tests/worker/vector/vector_fixture.hpp"

namespace ba {
namespace {

class VectorSearchOfALowerCaller : public VectorSearchTest {
 protected:
  VectorSearchOfALowerCaller() { runtime_config_.retry.max_retries = 0; }

  ToolResult call(PermissionLevel permission) {
    ToolRuntime runtime(registry_, runtime_config_, loop_, loop_, random_);
    ToolRequest request;
    request.call.name = "vector_search";
    request.call.args_json = R"({"query":"1 2 3","index":"passages"})";
    request.tenant = TenantId("acme");
    request.permission = permission;
    std::optional<ToolResult> result;
    const auto run = runtime.run(request, [&](ToolResult value) { result = std::move(value); });
    EXPECT_TRUE(loop_.run_until([&] { return result.has_value(); }));
    return result.value_or(ToolResult{});
  }

  ToolRuntimeConfig runtime_config_;
  FixedRandom random_;
  ToolRegistry registry_;
};

TEST_F(VectorSearchOfALowerCaller, AsksNobody) {
  tool();
  ASSERT_TRUE(registry_.add(std::move(tool_)));
  const ToolResult refused = call(PermissionLevel::Restricted);
  EXPECT_EQ(refused.error.value_or(ToolError{}).code, "PERMISSION_DENIED") << refused.observation;
  EXPECT_EQ(stub_.opened_connections(), 0);
  const ToolResult tried = call(PermissionLevel::Default);
  EXPECT_EQ(tried.telemetry.attempts, 1) << tried.observation;
  EXPECT_EQ(stub_.requests.size(), 1u) << "its embedding was asked for";
}

}  // namespace
}  // namespace ba
