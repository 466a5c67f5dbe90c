// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/bpe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "ops/tokens/make_tables.hpp"
#include "pipeline/text/token/shipped_tables.hpp"
#include "tests/pipeline/text/token/by_merging.hpp"

namespace ba {
namespace {

using testing::ElementsAre;

class Bpe : public testing::TestWithParam<TokenEncoding> {
 protected:
  std::string any_token() {
    return std::string(tables.token(static_cast<TokenPlace>(dice() % tables.facts.size())));
  }
  std::string any_letters(std::size_t size) {
    std::string letters;
    while (letters.size() < size) letters += static_cast<char>('a' + dice() % 26);
    return letters;
  }
  std::vector<std::string> tokens_of(const std::string& piece) {
    std::vector<std::string> tokens;
    for (const TokenRank rank : encoder.encode(piece))
      tokens.emplace_back(tables.token(tables.places[rank]));
    return tokens;
  }

  const BpeTables tables = read_bpe_tables(shipped_tables(GetParam()));
  BpeEncoder encoder{tables};
  std::mt19937 dice{4711};  // NOLINT: the same texts each time
};

TEST_P(Bpe, GivesWhatMergingTheLowestPairGives) {
  const ByMerging merging(tables);
  const std::string alphabets[] = {"ab",
                                   " e\n",
                                   "abcdefghijklmnopqrstuvwxyz",
                                   "!=-*/ (){}<>\t",
                                   "\xe4\xb8\xad\xe6\x96\x87\xe3\x81\x82",
                                   "aAbB01 \xc3\xa9_"};
  for (int i = 0; i < 3000; ++i) {
    const std::string& alphabet = alphabets[dice() % std::size(alphabets)];
    std::string piece;
    for (unsigned left = dice() % 40 + 1; left > 0; --left)
      piece += alphabet[dice() % alphabet.size()];
    ASSERT_EQ(encoder.encode(piece), merging.encode(piece)) << piece;
  }
  for (int i = 0; i < 1000; ++i) {
    std::string piece;
    for (unsigned left = dice() % 20 + 1; left > 0; --left) piece += static_cast<char>(dice());
    ASSERT_EQ(encoder.encode(piece), merging.encode(piece));
  }
}

TEST_P(Bpe, GivesTheSameOfLongPieces) {
  const ByMerging merging(tables);
  for (int i = 0; i < 40; ++i) {
    std::string piece;
    while (piece.size() < 3000) {
      const std::size_t run = dice() % 8 == 0 ? 600 : 40;
      switch (dice() % 4) {
        case 0:
          piece += any_letters(dice() % run);
          break;
        case 1:
          piece.append(dice() % run, "a =\n"[dice() % 4]);
          break;
        case 2:
          piece += any_token();
          break;
        default:
          piece += any_token().substr(0, 1 + dice() % 4);
          break;
      }
    }
    const std::vector<std::string> tokens = tokens_of(piece);
    std::string joined;
    for (const std::string& token : tokens) joined += token;
    ASSERT_EQ(joined, piece);
    ASSERT_TRUE(merging.gives(tokens)) << piece;
  }
}

TEST_P(Bpe, EachTokenIsItself) {
  for (TokenPlace place = 0; place < tables.facts.size(); ++place)
    ASSERT_THAT(encoder.encode(tables.token(place)), ElementsAre(tables.facts[place].rank()));
}

TEST_P(Bpe, NothingHasNoTokens) { EXPECT_TRUE(encoder.encode("").empty()); }

INSTANTIATE_TEST_SUITE_P(Each, Bpe,
                         testing::Values(TokenEncoding::Cl100kBase, TokenEncoding::O200kBase),
                         [](const auto& one) {
                           return one.param == TokenEncoding::Cl100kBase ? "cl100k" : "o200k";
                         });

TEST(BpeTables, OfAVocabularyOfOnesOwn) {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
  for (const char* token : {"ab", "bc", "abc", "abcd"}) tokens.emplace_back(token);
  const std::string memory = make_bpe_tables(tokens);
  BpeEncoder encoder(read_bpe_tables(memory));
  EXPECT_THAT(encoder.encode("abcd"), ElementsAre(259));
  EXPECT_THAT(encoder.encode("bcabx"), ElementsAre(257, 256, 'x'));
  EXPECT_THAT(encoder.encode("aabcd"), ElementsAre('a', 259));
}

}  // namespace
}  // namespace ba
