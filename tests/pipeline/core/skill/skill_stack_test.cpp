// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/skill/skill_stack.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

SkillActivation activation(const std::string& skill) {
  SkillActivation active;
  active.skill_name = skill;
  active.activation_id = "id-" + skill;
  return active;
}

SkillStack stack_of(const std::vector<std::string>& skills) {
  SkillStack stack;
  for (const std::string& skill : skills) EXPECT_FALSE(stack.push(activation(skill)));
  return stack;
}

TEST(SkillStack, ThreeMayBeActiveAndAFourthIsRefused) {
  SkillStack stack = stack_of({"a", "b", "c"});
  const auto refused = stack.push(activation("d"));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->type, ToolErrorType::ValidationError);
  EXPECT_EQ(refused->message,
            "Maximum skill activation depth (3) exceeded. Current stack: a → b → c");
  EXPECT_EQ(stack, stack_of({"a", "b", "c"}));
}

TEST(SkillStack, OneThatIsActiveIsACycleAndToldWhole) {
  SkillStack stack = stack_of({"a", "b", "c"});
  const auto refused = stack.push(activation("a"));
  ASSERT_TRUE(refused) << "cycles are looked at before the depth";
  EXPECT_EQ(refused->type, ToolErrorType::ValidationError);
  EXPECT_EQ(refused->message, "Circular dependency detected: a → b → c → a");
  EXPECT_EQ(stack.push(activation("b"))->message, "Circular dependency detected: b → c → b");
}

TEST(SkillStack, OneThatActivatesItselfIsACycle) {
  EXPECT_EQ(stack_of({"a"}).push(activation("a"))->message, "Circular dependency detected: a → a");
}

TEST(SkillStack, ItIsNoHistoryOneThatIsDoneMayComeAgain) {
  SkillStack stack = stack_of({"a", "b"});
  EXPECT_FALSE(stack.pop("b", "id-b"));
  EXPECT_FALSE(stack.push(activation("b")));
  stack.clear();
  EXPECT_TRUE(stack.active().empty());
  EXPECT_FALSE(stack.push(activation("a")));
}

TEST(SkillStack, OnlyTheNewestOneIsPopped) {
  SkillStack stack = stack_of({"a", "b"});
  const auto refused = stack.pop("a", "id-a");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->type, ToolErrorType::ValidationError);
  EXPECT_EQ(refused->message,
            "Skill 'a' (id-a) is not the one that was activated last; deactivate 'b' (id-b) first. "
            "Current stack: a (id-a) → b (id-b)");
  EXPECT_TRUE(stack.pop("b", "id-a"));
  EXPECT_EQ(stack, stack_of({"a", "b"}));
  EXPECT_EQ(SkillStack().pop("a", "id-a")->code, "SKILL_NOT_ACTIVE");
}

SkillActivation restricted(const std::string& skill, std::vector<std::string> tools,
                           std::string model = "") {
  SkillActivation active = activation(skill);
  active.modifier.allowed_tools = std::move(tools);
  active.modifier.model = std::move(model);
  return active;
}

TEST(SkillStack, TwoSkillsAllowOnlyWhatBothAllow) {
  SkillStack stack;
  EXPECT_EQ(stack.allowed_tools(), std::nullopt);
  EXPECT_FALSE(stack.push(activation("free")));
  EXPECT_EQ(stack.allowed_tools(), std::nullopt);
  EXPECT_FALSE(stack.push(restricted("a", {"query_database", "file_reader"})));
  EXPECT_FALSE(stack.push(restricted("b", {"file_reader", "file_write"})));
  EXPECT_EQ(*stack.allowed_tools(), std::set<std::string>{"file_reader"});
  EXPECT_FALSE(stack.pop("b", "id-b"));
  EXPECT_EQ(*stack.allowed_tools(), (std::set<std::string>{"file_reader", "query_database"}));
}

TEST(SkillStack, TheNewestModelThatIsNamedHolds) {
  SkillStack stack;
  EXPECT_EQ(stack.model(), "");
  EXPECT_FALSE(stack.push(restricted("a", {}, "large")));
  EXPECT_FALSE(stack.push(activation("b")));
  EXPECT_EQ(stack.model(), "large");
  EXPECT_FALSE(stack.push(restricted("c", {}, "small")));
  EXPECT_EQ(stack.model(), "small");
  stack.clear();
  EXPECT_EQ(stack.model(), "");
}

}  // namespace
}  // namespace ba
