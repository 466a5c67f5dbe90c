// SPDX-License-Identifier: Apache-2.0
#include "worker/settings/yaml_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ba::settings {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string error_of(const std::string& text) {
  const auto tree = read_yaml(text, "a.yaml");
  return tree ? "no error" : tree.error().message;
}

TEST(YamlReader, KeepsFileAndLineOfEveryValue) {
  const auto tree = read_yaml("kafka:\n  brokers: b\n  topics:\n    jobs: j\n", "a.yaml");
  ASSERT_TRUE(tree);
  const Node* kafka = tree->find("kafka");
  ASSERT_NE(kafka, nullptr);
  EXPECT_EQ(kafka->find("brokers")->origin.text(), "a.yaml:2");
  EXPECT_EQ(kafka->find("topics")->find("jobs")->origin.text(), "a.yaml:4");
  EXPECT_EQ(kafka->find("topics")->find("jobs")->scalar, "j");
}

TEST(YamlReader, ReadsNullListsAndQuotedTexts) {
  const auto tree = read_yaml("a: ~\nb: [x, 'y z']\nc: \"1\\n2\"\n", "a.yaml");
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->find("a")->kind, Node::Kind::Null);
  EXPECT_EQ(tree->find("b")->items.at(1).scalar, "y z");
  EXPECT_EQ(tree->find("c")->scalar, "1\n2");
}

TEST(YamlReader, EmptyTextIsAnEmptyMap) {
  for (const char* text : {"", "\n", "# only a comment\n", "---\n"}) {
    const auto tree = read_yaml(text, "a.yaml");
    ASSERT_TRUE(tree) << text;
    EXPECT_TRUE(tree->entries.empty());
  }
}

TEST(YamlReader, AliasesStandForACopy) {
  const auto tree = read_yaml("a: &x {k: 1}\nb: *x\n", "a.yaml");
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->find("b")->find("k")->scalar, "1");
}

TEST(YamlReader, RefusesAnAliasBomb) {
  std::string text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int n = 0; n < 10; ++n) text += (n > 0 ? ", " : "") + before;
    text += "]\n";
  }
  EXPECT_THAT(error_of(text), HasSubstr("more than 20000 values"));
}

TEST(YamlReader, RefusesDeepNesting) {
  EXPECT_THAT(error_of("a: " + std::string(40, '[') + std::string(40, ']')),
              HasSubstr("nested deeper than 32 levels"));
  EXPECT_NE(error_of("a: " + std::string(100'000, '[')), "no error");
  EXPECT_NE(error_of(std::string(100'000, '{')), "no error");
}

TEST(YamlReader, RefusesLargeFiles) {
  EXPECT_THAT(error_of("a: " + std::string(kYamlBytesMax, 'x')), HasSubstr("larger than"));
}

TEST(YamlReader, RefusesDuplicateKeysWithBothLines) {
  EXPECT_EQ(error_of("a: 1\nb: 2\na: 3\n"), "a.yaml:3: key \"a\" stands twice (first in line 1)");
}

TEST(YamlReader, RefusesWhatItDoesNotSupport) {
  EXPECT_THAT(error_of("a: &x {k: 1}\nb:\n  <<: *x\n"), HasSubstr("a.yaml:3: merge keys"));
  EXPECT_THAT(error_of("a: 1\n---\nb: 2\n"), HasSubstr("more than one document"));
  EXPECT_THAT(error_of("a: !!python/object x\n"), HasSubstr("tags (!…) are not supported"));
  EXPECT_THAT(error_of("a: !Sesame1\n"), Not(HasSubstr("Sesame"))) << "it may be a password";
  EXPECT_THAT(error_of("? [a, b]\n: c\n"), HasSubstr("a key must be a plain text"));
  EXPECT_THAT(error_of("- a\n- b\n"), HasSubstr("must be a map of sections"));
  EXPECT_THAT(error_of("just text"), HasSubstr("must be a map of sections"));
}

TEST(YamlReader, ReadsEveryEscape) {
  const auto tree = read_yaml("\"a\\_\": \"b\\Nc\"\n", "a.yaml");
  ASSERT_TRUE(tree) << tree.error().message;
  const Node* node = tree->find("a\u00a0");
  ASSERT_NE(node, nullptr);
  EXPECT_EQ(node->scalar, "b\u0085c");
}

TEST(YamlReader, SaysWhereTheSyntaxIsWrong) {
  EXPECT_THAT(error_of("a: 1\nb: [1, 2\nc: 3\n"), HasSubstr("a.yaml:"));
  EXPECT_THAT(error_of("a: 1\n\tb: 2\n"),
              HasSubstr(":2: not valid YAML: the line is indented with a tab; YAML allows spaces"));
  EXPECT_THAT(error_of("a: [1, 2\n"), HasSubstr("a.yaml:1: not valid YAML"))
      << "there is no line 2";
  EXPECT_THAT(error_of("a: 1\nb: {\n\n\n"), HasSubstr("a.yaml:2: not valid YAML"));
  EXPECT_NE(error_of(std::string("a: \0b", 5)), "");
  EXPECT_NE(error_of("\xff\xfe\x00"), "");
}

}  // namespace
}  // namespace ba::settings
