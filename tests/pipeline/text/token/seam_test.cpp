// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/seam.hpp"

#include <gtest/gtest.h>

#include <string>

#include "pipeline/text/token/bpe_tables.hpp"
#include "pipeline/text/token/shipped_tables.hpp"
#include "tests/pipeline/text/token/mixed_text.hpp"

namespace ba {
namespace {

bool is_first(char c) { return static_cast<unsigned char>(c) >= 0xc0; }

class SeamsOf : public testing::TestWithParam<TokenEncoding> {
 protected:
  const BpeTables tables = read_bpe_tables(shipped_tables(GetParam()));
  const Seams seams{tables.joints};
};

TEST_P(SeamsOf, NoTokenLiesAcrossOne) {
  int places = 0;
  for (TokenPlace place = 0; place < tables.facts.size(); ++place) {
    const std::string token(tables.token(place));
    for (std::size_t at = 1; at < token.size(); ++at) {
      if (!is_first(token[at]) || is_first(token[at - 1])) continue;
      ++places;
      for (unsigned around = 0x80; around < 0x100; ++around) {  // what may be beside the token
        const auto behind = static_cast<char>(0x80 | (around & 0x3f));
        const std::string text = static_cast<char>(around) + token + behind;
        ASSERT_FALSE(seams.before(text.data() + 1 + at)) << place;
      }
    }
  }
  EXPECT_GT(places, 1000);
}

TEST_P(SeamsOf, AreBetweenMostCharactersThatMakeNoWord) {
  MixedText mixed(51);
  std::string text;
  for (int i = 0; i < 3000; ++i) MixedText::append(text, 0x4e00 + mixed.below(0x800));
  int found = 0;
  for (std::size_t at = 3; at < text.size(); at += 3) found += seams.before(text.data() + at);
  EXPECT_GT(found, 2700);
}

INSTANTIATE_TEST_SUITE_P(Each, SeamsOf,
                         testing::Values(TokenEncoding::Cl100kBase, TokenEncoding::O200kBase),
                         [](const auto& one) {
                           return one.param == TokenEncoding::Cl100kBase ? "cl100k" : "o200k";
                         });

}  // namespace
}  // namespace ba
