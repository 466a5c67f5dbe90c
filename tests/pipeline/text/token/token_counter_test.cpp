// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/token_counter.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

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
