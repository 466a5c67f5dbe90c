// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/piece_scanner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pipeline/text/tokenizer/text_pattern.hpp"
#include "tests/pipeline/text/token/mixed_text.hpp"

namespace ba {
namespace {

using testing::ElementsAre;
using Pieces = std::vector<std::string>;

template <auto Next>
Pieces pieces(std::string_view text) {
  const PieceScanner scanner(text);
  Pieces out;
  for (const char* at = scanner.begin(); at != scanner.end();) {
    const char* const to = (scanner.*Next)(at);
    EXPECT_GT(to, at);
    if (to <= at) break;
    out.emplace_back(at, to);
    at = to;
  }
  return out;
}
Pieces cl100k(std::string_view text) { return pieces<&PieceScanner::cl100k_end>(text); }
Pieces o200k(std::string_view text) { return pieces<&PieceScanner::o200k_end>(text); }

TEST(PieceScanner, TakesAWordWithWhatStandsBeforeIt) {
  for (const auto cut : {cl100k, o200k}) {
    EXPECT_THAT(cut("two words"), ElementsAre("two", " words"));
    EXPECT_THAT(cut("(a)\tb"), ElementsAre("(a", ")", "\tb"));
    EXPECT_THAT(cut("\nword"), ElementsAre("\n", "word"));
    EXPECT_THAT(cut("12345"), ElementsAre("123", "45"));
    EXPECT_THAT(cut("a1"), ElementsAre("a", "1"));
    EXPECT_THAT(cut("\u00bd\u2167\u0663\u0664"), ElementsAre("\u00bd\u2167\u0663", "\u0664"));
  }
}

TEST(PieceScanner, LeavesTheLastSpaceToTheNextWord) {
  for (const auto cut : {cl100k, o200k}) {
    EXPECT_THAT(cut("a   b"), ElementsAre("a", "  ", " b"));
    EXPECT_THAT(cut("a   !"), ElementsAre("a", "  ", " !"));
    EXPECT_THAT(cut("a  1"), ElementsAre("a", " ", " ", "1"));
    EXPECT_THAT(cut("a \n  b"), ElementsAre("a", " \n", " ", " b"));
    EXPECT_THAT(cut("a\u3000\u3000b"), ElementsAre("a", "\u3000", "\u3000b"));
    EXPECT_THAT(cut("a   "), ElementsAre("a", "   "));
  }
  EXPECT_THAT(cl100k("a \n  "), ElementsAre("a", " \n  "));
  EXPECT_THAT(o200k("a \n  "), ElementsAre("a", " \n", "  "));
}

TEST(PieceScanner, KeepsLineEndsWithPunctuation) {
  EXPECT_THAT(cl100k("a;\r\n\nb"), ElementsAre("a", ";\r\n\n", "b"));
  EXPECT_THAT(cl100k("a/\n/"), ElementsAre("a", "/\n", "/"));
  EXPECT_THAT(o200k("a/\n/"), ElementsAre("a", "/\n/"));
}

TEST(PieceScanner, KnowsContractions) {
  EXPECT_THAT(cl100k("I'd we'LL it'\u017f 'tis"),
              ElementsAre("I", "'d", " we", "'LL", " it", "'\u017f", " '", "tis"));
  EXPECT_THAT(o200k("I'd we'LL it'\u017f 'tis"),
              ElementsAre("I'd", " we'LL", " it'\u017f", " '", "tis"));
  EXPECT_THAT(cl100k("'x 'l"), ElementsAre("'x", " '", "l"));
}

TEST(PieceScanner, CutsBetweenSmallAndCapitalLettersInO200k) {
  EXPECT_THAT(cl100k("camelCaseXML"), ElementsAre("camelCaseXML"));
  EXPECT_THAT(o200k("camelCaseXML"), ElementsAre("camel", "Case", "XML"));
  EXPECT_THAT(o200k("XMLa"), ElementsAre("XMLa"));
  EXPECT_THAT(o200k("AB\u3042CD E"), ElementsAre("AB\u3042", "CD", " E"));
  EXPECT_THAT(o200k("a\u0301B"), ElementsAre("a\u0301", "B"));
  EXPECT_THAT(o200k("\u0301\u0301AB"), ElementsAre("\u0301\u0301", "AB"));
  EXPECT_THAT(cl100k("a\u0301b"), ElementsAre("a", "\u0301b"));
}

TEST(PieceScanner, LosesNothing) {
  std::string text;
  for (char32_t c = 0; c < 0x110000; c += 7) {
    if (c >= 0xd800 && c < 0xe000) continue;
    MixedText::append(text, c);
  }
  for (const auto cut : {cl100k, o200k}) {
    std::string whole;
    for (const std::string& piece : cut(text)) whole += piece;
    EXPECT_EQ(whole, text);
  }
}

/// As the encodings' publisher has them, but for "$", which is Ruby's end of a line.
constexpr const char* kCl100k =
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*+|)"
    R"(\s++\z|\s*[\r\n]|\s+(?!\S)|\s)";
constexpr const char* kO200k =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

Pieces by_pattern(const TextPattern& pattern, const std::string& text) {
  Pieces out;
  for (const TextPart& part : pattern.parts(text)) {
    EXPECT_TRUE(part.matched);
    out.push_back(text.substr(part.begin, part.end - part.begin));
  }
  return out;
}

TEST(PieceScanner, CutsAsThePatternsDo) {
  const Result<TextPattern> of_cl100k = TextPattern::compiled(kCl100k);
  const Result<TextPattern> of_o200k = TextPattern::compiled(kO200k);
  ASSERT_TRUE(of_cl100k && of_o200k);
  MixedText mixed(41);
  for (int i = 0; i < 6000; ++i) {
    const std::string text = mixed.any(1 + mixed.below(30));
    ASSERT_EQ(cl100k(text), by_pattern(*of_cl100k, text)) << text;
    ASSERT_EQ(o200k(text), by_pattern(*of_o200k, text)) << text;
  }
}

}  // namespace
}  // namespace ba
