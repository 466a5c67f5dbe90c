// SPDX-License-Identifier: Apache-2.0
// web_search, called by somebody who has less than the permission it needs.
#include "pipeline/tool/tool_runtime.hpp"
#include "tests/support/fixed_random.hpp"
#include "tests/worker/search/search_fixture.hpp"

namespace ba {
namespace {

class WebSearchOfALowerCaller : public WebSearchTest {
 protected:
  ToolResult call(PermissionLevel permission) {
    ToolRuntime runtime(registry_, {}, loop_, loop_, random_);
    ToolRequest request;
    request.call.name = "web_search";
    request.call.args_json = R"({"query":"q"})";
    request.tenant = TenantId("acme");
    request.permission = permission;
    std::optional<ToolResult> result;
    const auto run = runtime.run(request, [&](ToolResult value) { result = std::move(value); });
    EXPECT_TRUE(loop_.run_until([&] { return result.has_value(); }));
    return result.value_or(ToolResult{});
  }

  FixedRandom random_;
  ToolRegistry registry_;
};

TEST_F(WebSearchOfALowerCaller, AsksNobody) {
  serve_answer(200, R"({"results":[]})");
  tool();
  ASSERT_TRUE(registry_.add(std::move(tool_)));
  const ToolResult refused = call(PermissionLevel::Restricted);
  EXPECT_EQ(refused.error.value_or(ToolError{}).code, "PERMISSION_DENIED") << refused.observation;
  EXPECT_EQ(stub_.opened_connections(), 0);
  EXPECT_EQ(call(PermissionLevel::Default).state, ToolCallState::Succeeded);
  EXPECT_EQ(stub_.requests.size(), 1u);
}

}  // namespace
}  // namespace ba
