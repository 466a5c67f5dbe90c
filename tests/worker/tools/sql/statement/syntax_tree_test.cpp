// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/statement/syntax_tree.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace ba::sql {
namespace {

constexpr int kDepth = 10;

/// As "a b" of {"b":1,"a":2}.
std::string names_of(SyntaxTree::Value value) {
  std::string names;
  for (const SyntaxTree::Value one : value)
    names += (names.empty() ? "" : " ") + std::string(one.key());
  return names;
}

TEST(SyntaxTree, HasMembersByTheirNamesAndItemsInTheirOrder) {
  const SyntaxTree tree(R"({"b":[{"x":"1"},{"x":"2"}],"A":{},"a":true})", kDepth);
  ASSERT_EQ(tree.fault(), SyntaxTree::Fault::None);
  EXPECT_EQ(names_of(tree.root()), "A a b");
  std::string items;
  for (const SyntaxTree::Value one : tree.root().at("b")) items += one.text("x");
  EXPECT_EQ(items, "12");
  EXPECT_TRUE(tree.root().member("A").is_object());
  EXPECT_TRUE(tree.root().member("b").is_array());
  EXPECT_EQ(names_of(tree.root().member("A")), "");
}

TEST(SyntaxTree, GivesTextsAsTheyAreMeant) {
  const SyntaxTree tree(R"({"plain":"é","escaped":"\u003c\"\\","empty":""})", kDepth);
  EXPECT_EQ(tree.root().text("plain"), "é");
  EXPECT_EQ(tree.root().text("escaped"), "<\"\\");
  EXPECT_EQ(tree.root().text("empty"), "");
  EXPECT_EQ(tree.root().text("absent"), "");
}

TEST(SyntaxTree, SaysWhenAPartIsOfAnotherKind) {
  const SyntaxTree tree(R"({"number":1,"list":[]})", kDepth);
  EXPECT_THROW(tree.root().text("number"), UnexpectedSyntax);
  EXPECT_THROW(tree.root().text(), UnexpectedSyntax);
  EXPECT_THROW(tree.root().at("list").text("a"), UnexpectedSyntax);
  EXPECT_THROW(tree.root().at("absent"), UnexpectedSyntax);
  EXPECT_FALSE(tree.root().member("list").member("a"));
  EXPECT_FALSE(SyntaxTree::Value().member("a"));
}

TEST(SyntaxTree, StaysWhereItIsWhenItIsMoved) {
  SyntaxTree tree(R"({"a":"b"})", kDepth);
  const SyntaxTree moved(std::move(tree));
  EXPECT_EQ(moved.root().text("a"), "b");
}

TEST(SyntaxTree, IsNoneOfWhatIsNotJson) {
  for (const char* text :
       {"", "{", "[", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\" 1}", "{a:1}", "[1,]", "[1 2", "{}{}",
        "\"a", "\"a\\", "{\"a\\u0062\":1}", "[\"\xff\"]", "[,1]", "{\"a\":1,}"}) {
    const SyntaxTree tree(text, kDepth);
    EXPECT_EQ(tree.fault(), SyntaxTree::Fault::NotJson) << text;
    EXPECT_FALSE(tree.root()) << text;
  }
}

TEST(SyntaxTree, HasALimitOnItsDepth) {
  const auto nested = [](int depth) {
    const auto brackets = static_cast<std::size_t>(depth);
    return std::string(brackets, '[') + std::string(brackets, ']');
  };
  EXPECT_EQ(SyntaxTree(nested(kDepth), kDepth).fault(), SyntaxTree::Fault::None);
  EXPECT_EQ(SyntaxTree(nested(kDepth + 1), kDepth).fault(), SyntaxTree::Fault::TooDeep);
  EXPECT_EQ(SyntaxTree(nested(1'000'000), kDepth).fault(), SyntaxTree::Fault::TooDeep);
}

}  // namespace
}  // namespace ba::sql
