// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/tokenizer/added_tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ba {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(AddedTokens, TheLongestOfThoseThatBeginFirstCounts) {
  const AddedTokens tokens({{"<a>"}, {"<a><b>"}, {"b"}});
  const AddedTokensFound found = tokens.find("x<a><b>y<a>b");
  EXPECT_EQ(found.count, 3U);
  EXPECT_THAT(found.between, ElementsAre("x", "y"));
  EXPECT_THAT(tokens.find("<a>").between, IsEmpty());
  EXPECT_EQ(AddedTokens({}).find("x").count, 0U);
}

TEST(AddedTokens, OfSingleWordsAreNoPartsOfOthers) {
  const AddedTokens tokens({{.content = "the", .single_word = true}});
  EXPECT_EQ(tokens.find("the (the) the½").count, 3U);
  EXPECT_EQ(tokens.find("other éthe the_ the5").count, 0U);
}

TEST(AddedTokens, MayTakeWhiteSpaceAlong) {
  const AddedTokens tokens({{.content = "<s>", .lstrip = true, .rstrip = true}});
  const AddedTokensFound found = tokens.find("a \u00a0<s>\n <s> b");
  EXPECT_EQ(found.count, 2U);
  EXPECT_THAT(found.between, ElementsAre("a", "b"));
}

}  // namespace
}  // namespace ba
