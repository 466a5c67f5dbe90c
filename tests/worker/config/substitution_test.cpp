// SPDX-License-Identifier: Apache-2.0
#include "worker/config/substitution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/settings/yaml_reader.hpp"

namespace ba::settings {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const config::Environment kEnvironment{{{"HOST", "db"}, {"EMPTY", ""}, {"YAML", "x\nevil: true"}}};

std::string filled(const std::string& text) {
  const auto value = config::substitute(text, kEnvironment);
  return value ? *value : "error: " + value.error().message;
}

TEST(Substitution, FillsInVariables) {
  EXPECT_EQ(filled("postgresql://${HOST}/a"), "postgresql://db/a");
  EXPECT_EQ(filled("${env:HOST}"), "db");
  EXPECT_EQ(filled("${HOST}${HOST}"), "dbdb");
}

TEST(Substitution, TakesTheDefaultOfAnUnsetOrEmptyVariable) {
  EXPECT_EQ(filled("${NONE:-a:-b}"), "a:-b");
  EXPECT_EQ(filled("${EMPTY:-x}"), "x");
  EXPECT_EQ(filled("${NONE:-}"), "");
}

TEST(Substitution, DoubledDollarIsOne) {
  EXPECT_EQ(filled("$${HOST}"), "${HOST}");
  EXPECT_EQ(filled("a$b$$c$"), "a$b$c$");
}

TEST(Substitution, UnsetVariableIsAnErrorThatSaysWhatToDo) {
  EXPECT_EQ(filled("${NONE}"),
            "error: the environment variable NONE is not set; set it, or give a default: "
            "${NONE:-default}");
}

TEST(Substitution, BadFormsAreErrors) {
  EXPECT_THAT(filled("${HOST"), HasSubstr("has no closing }"));
  EXPECT_THAT(filled("${}"), HasSubstr("is no variable"));
  EXPECT_THAT(filled("${1A}"), HasSubstr("is no variable"));
  EXPECT_THAT(filled("${a-b}"), HasSubstr("is no variable"));
  for (const char* password : {"pw${Sesame", "pw${Sesame-1}", "${Sesame 1}"})
    EXPECT_THAT(filled(password), Not(HasSubstr("Sesame"))) << "it may be meant as it stands";
}

TEST(Substitution, AValueCanNotAddStructure) {
  auto tree = settings::read_yaml("a: ${YAML}\n", "a.yaml");
  ASSERT_TRUE(tree);
  ASSERT_FALSE(config::substitute_all(*tree, kEnvironment));
  EXPECT_EQ(tree->entries.size(), 1U);
  EXPECT_EQ(tree->find("a")->scalar, "x\nevil: true");
}

TEST(Substitution, NamesFileAndLine) {
  auto tree = settings::read_yaml("a: 1\nb: ${NONE}\n", "a.yaml");
  ASSERT_TRUE(tree);
  const auto refusal = config::substitute_all(*tree, kEnvironment);
  ASSERT_TRUE(refusal);
  EXPECT_THAT(refusal->text(), HasSubstr("a.yaml:2: the environment variable NONE"));
  EXPECT_EQ(refusal->place.column, 4);
}

}  // namespace
}  // namespace ba::settings
