// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/token_counter.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "pipeline/text/token/piece_scanner.hpp"
#include "pipeline/text/token/shipped_tables.hpp"
#include "pipeline/text/token/well_formed.hpp"
#include "tests/pipeline/text/token/by_merging.hpp"
#include "tests/pipeline/text/token/mixed_text.hpp"

namespace ba {
namespace {

using Json = nlohmann::json;

std::vector<Json> known_counts() {
  std::ifstream in("tests/pipeline/text/token/data/counts.jsonl");
  std::vector<Json> all;
  for (std::string line; std::getline(in, line);) all.push_back(Json::parse(line));
  EXPECT_GT(all.size(), 1800u);
  return all;
}

class TokenCounts : public testing::TestWithParam<TokenEncoding> {
 protected:
  TokenCounter counter{GetParam()};
  const std::string name{name_of(kTokenEncodingNames, GetParam())};
};

TEST_P(TokenCounts, AreThoseOfTiktoken) {
  for (int time = 0; time < 2; ++time)  // the second time, short pieces are remembered
    for (const Json& row : known_counts()) {
      const auto text = row.at("text").get<std::string>();
      ASSERT_EQ(counter.count(text), row.at(name).get<int>()) << row.dump();
    }
}

/// Pieces by the scanner, each of them by the definition; the second time, they are remembered. The
/// texts stand at the end of their memory, with all lengths.
TEST_P(TokenCounts, AreThoseOfMergingEachPiece) {
  const ByMerging merging(read_bpe_tables(shipped_tables(GetParam())));
  MixedText mixed(61);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = mixed.any(1 + mixed.below(40));
    const PieceScanner scanner(text);
    std::int64_t expected = 0;
    for (const char* at = scanner.begin(); at != scanner.end();) {
      const bool older = GetParam() == TokenEncoding::Cl100kBase;
      const char* const to = older ? scanner.cl100k_end(at) : scanner.o200k_end(at);
      expected += static_cast<std::int64_t>(merging.encode(std::string(at, to)).size());
      at = to;
    }
    ASSERT_EQ(counter.count(text), expected) << text;
    ASSERT_EQ(counter.count(text), expected) << text;
  }
}

/// A broken character in a run of whole ones, at each place.
TEST_P(TokenCounts, OfBrokenCharactersWithinEachScript) {
  MixedText mixed(62);
  for (int i = 0; i < 500; ++i) {
    const std::string text = mixed.any(20);
    const std::size_t at = mixed.below(static_cast<unsigned>(text.size()));
    const std::string broken =
        text.substr(0, at) + "\xe4\xf0\x9f\x99\xff"[mixed.below(5)] + text.substr(at);
    ASSERT_EQ(counter.count(broken), counter.count(well_formed(broken))) << at << text;
  }
}

TEST_P(TokenCounts, OfNothingIsZero) { EXPECT_EQ(counter.count(""), 0); }

TEST_P(TokenCounts, CountBrokenUtf8AsReplacementCharacters) {
  EXPECT_EQ(counter.count("a\xed\xa0\x80"
                          "b"),
            counter.count("a\ufffd\ufffd\ufffdb"));
  EXPECT_EQ(counter.count("cut \xf0\x9f\x99"), counter.count("cut \ufffd"));
  EXPECT_EQ(counter.count(std::string("\xff\xfe\0", 3)),
            counter.count(std::string("\ufffd\ufffd\0", 7)));
}

/// Some engines overflow their stack on these.
TEST_P(TokenCounts, OfMegabytesWithoutABreak) {
  const std::int64_t spaces = counter.count(std::string(3'000'000, ' '));
  EXPECT_GT(spaces, 10'000);
  EXPECT_LT(spaces, 50'000);
  EXPECT_GT(counter.count(std::string(2'000'000, 'a')), 200'000);
  EXPECT_GT(counter.count(std::string(2'000'000, '^')), 100'000);
}

/// A cut between two messages, or lines, changes nothing.
TEST_P(TokenCounts, AddUpOverLinesThatBeginWithALetter) {
  EXPECT_EQ(counter.count("one two\nthree'll 4\n"),
            counter.count("one two\n") + counter.count("three'll 4\n"));
}

INSTANTIATE_TEST_SUITE_P(Each, TokenCounts,
                         testing::Values(TokenEncoding::Cl100kBase, TokenEncoding::O200kBase),
                         [](const auto& one) {
                           return one.param == TokenEncoding::Cl100kBase ? "cl100k" : "o200k";
                         });

}  // namespace
}  // namespace ba
