// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/tool_list.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

ToolSpec tool(const std::string& name, const std::string& description = "d") {
  return {name, description, "{}"};
}

TEST(ToolList, ACopyIsTheSameList) {
  const ToolList tools{tool("a"), tool("b")};
  const ToolList copy = tools;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_TRUE(copy.is(tools));
  EXPECT_EQ(&copy.front(), &tools.front());
  const ToolList equal{tool("a"), tool("b")};
  EXPECT_FALSE(equal.is(tools));
  EXPECT_TRUE(equal == tools);
}

TEST(ToolList, WithoutToolsIsEmpty) {
  EXPECT_TRUE(ToolList().empty());
  EXPECT_EQ(ToolList().begin(), ToolList().end());
  EXPECT_TRUE(ToolList() == ToolList(std::vector<ToolSpec>()));
}

TEST(ToolList, ThatKeepsAllIsTheSameList) {
  const ToolList tools{tool("a"), tool("b")};
  EXPECT_TRUE(tools.where([](const ToolSpec&) { return true; }).is(tools));
  const ToolList one = tools.where([](const ToolSpec& of) { return of.name == "b"; });
  EXPECT_TRUE(one == ToolList{tool("b")});
  EXPECT_EQ(tools.size(), 2U);
}

TEST(ToolLists, HoldEqualListsOnce) {
  ToolLists lists;
  const ToolList first = lists.held_once({tool("a")});
  EXPECT_TRUE(lists.held_once({tool("a")}).is(first));
  EXPECT_FALSE(lists.held_once({tool("a", "e")}).is(first)) << "as long, and another text";
  EXPECT_TRUE(lists.held_once({}).empty());
}

TEST(ToolLists, KeepNoListAliveAndForgetThoseThatAreGone) {
  ToolLists lists;
  const ToolList held = lists.held_once({tool("held")});
  for (int i = 0; i < 1'000; ++i) lists.held_once({tool(std::to_string(i))});
  EXPECT_LE(lists.known(), 100U);
  EXPECT_TRUE(lists.held_once({tool("held")}).is(held));
}

}  // namespace
}  // namespace ba
