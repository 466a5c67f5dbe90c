// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/tool_spec_list.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

ToolSpec tool(const std::string& name, const std::string& description = "d") {
  return {name, description, "{}"};
}

TEST(ToolSpecList, ACopyIsTheSameList) {
  const ToolSpecList tools{tool("a"), tool("b")};
  const ToolSpecList copy = tools;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_TRUE(copy.is(tools));
  EXPECT_EQ(&copy.front(), &tools.front());
  const ToolSpecList equal{tool("a"), tool("b")};
  EXPECT_FALSE(equal.is(tools));
  EXPECT_TRUE(equal == tools);
}

TEST(ToolSpecList, WithoutToolsIsEmpty) {
  EXPECT_TRUE(ToolSpecList().empty());
  EXPECT_EQ(ToolSpecList().begin(), ToolSpecList().end());
  EXPECT_TRUE(ToolSpecList() == ToolSpecList(std::vector<ToolSpec>()));
}

TEST(ToolSpecList, ThatKeepsAllIsTheSameList) {
  const ToolSpecList tools{tool("a"), tool("b")};
  EXPECT_TRUE(tools.where([](const ToolSpec&) { return true; }).is(tools));
  const ToolSpecList one = tools.where([](const ToolSpec& of) { return of.name == "b"; });
  EXPECT_TRUE(one == ToolSpecList{tool("b")});
  EXPECT_EQ(tools.size(), 2U);
}

TEST(ToolSpecLists, HoldEqualListsOnce) {
  ToolSpecLists lists;
  const ToolSpecList first = lists.held_once({tool("a")});
  EXPECT_TRUE(lists.held_once({tool("a")}).is(first));
  EXPECT_FALSE(lists.held_once({tool("a", "e")}).is(first)) << "as long, and another text";
  EXPECT_TRUE(lists.held_once({}).empty());
}

TEST(ToolSpecLists, KeepNoListAliveAndForgetThoseThatAreGone) {
  ToolSpecLists lists;
  const ToolSpecList held = lists.held_once({tool("held")});
  for (int i = 0; i < 1'000; ++i) lists.held_once({tool(std::to_string(i))});
  EXPECT_LE(lists.known(), 100U);
  EXPECT_TRUE(lists.held_once({tool("held")}).is(held));
}

}  // namespace
}  // namespace ba
