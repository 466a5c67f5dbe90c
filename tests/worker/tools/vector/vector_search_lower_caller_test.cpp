// SPDX-License-Identifier: Apache-2.0
// vector_search, called by somebody who has less than the permission it needs.
#include "tests/support/called_as.hpp"
#include "tests/worker/tools/vector/vector_fixture.hpp"

namespace ba::vector {
namespace {

class VectorSearchOfALowerCaller : public VectorSearchTest {
 protected:
  ToolResult call(PermissionLevel permission) {
    return called_as(permission, registry_, "vector_search",
                     R"({"query":"1 2 3","index":"passages"})", loop_);
  }

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
}  // namespace ba::vector
