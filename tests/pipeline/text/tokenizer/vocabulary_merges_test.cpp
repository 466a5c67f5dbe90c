// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/tokenizer/vocabulary_merges.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

const VocabularyMerges::Vocabulary kVocabulary{{"a", 0},  {"b", 1},   {"c", 2},
                                               {"ab", 3}, {"abc", 4}, {"bc", 5}};

TEST(VocabularyMerges, TheEarliestMergeIsDoneFirst) {
  VocabularyMerges model(kVocabulary, {}, false);
  ASSERT_TRUE(model.add_merge("b", "c"));
  ASSERT_TRUE(model.add_merge("a", "b"));
  EXPECT_EQ(model.count("abc"), 2U);  // a bc
  EXPECT_EQ(model.count("abab"), 2U);
  EXPECT_EQ(model.count(""), 0U);
  ASSERT_TRUE(model.add_merge("a", "bc"));
  EXPECT_EQ(model.count("abc"), 1U);
}

TEST(VocabularyMerges, WholePiecesMayGoFirst) {
  EXPECT_EQ(VocabularyMerges(kVocabulary, {}, true).count("abc"), 1U);
  EXPECT_EQ(VocabularyMerges(kVocabulary, {}, false).count("abc"), 3U);
}

TEST(VocabularyMerges, LettersThatAreNotThereAreLeftOutOrUnknown) {
  EXPECT_EQ(VocabularyMerges(kVocabulary, {}, false).count("aéxb"), 2U);
  EXPECT_EQ(VocabularyMerges(kVocabulary, {2, false}, false).count("aéxb"), 4U);
  EXPECT_EQ(VocabularyMerges(kVocabulary, {2, true}, false).count("aéxbé"), 4U);
}

TEST(VocabularyMerges, ThreeTokensOfAMergeMustBeThere) {
  VocabularyMerges model(kVocabulary, {}, false);
  EXPECT_EQ(model.add_merge("x", "b").error().message, "'x' is not in the vocabulary");
  EXPECT_EQ(model.add_merge("a", "y").error().message, "'y' is not in the vocabulary");
  EXPECT_EQ(model.add_merge("c", "b").error().message, "'cb' is not in the vocabulary");
}

}  // namespace
}  // namespace ba
