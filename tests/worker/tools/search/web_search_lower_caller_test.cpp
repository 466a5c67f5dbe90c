// SPDX-License-Identifier: Apache-2.0
// web_search, called by somebody who has less than the permission it needs.
#include "tests/support/called_as.hpp"
#include "tests/worker/tools/search/search_fixture.hpp"

namespace ba::search {
namespace {

class WebSearchOfALowerCaller : public WebSearchTest {
 protected:
  ToolResult call(PermissionLevel permission) {
    return called_as(permission, registry_, "web_search", R"({"query":"q"})", loop_);
  }

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
}  // namespace ba::search
