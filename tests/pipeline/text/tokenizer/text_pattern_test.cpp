// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/tokenizer/text_pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ba {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<TextPart> parts(std::string_view regex, std::string_view text) {
  return TextPattern::compiled(regex).value().parts(text);
}

TEST(TextPattern, CutsIntoMatchesAndWhatIsBetween) {
  EXPECT_THAT(parts("b+", "abbc"),
              ElementsAre(TextPart{0, 1, false}, TextPart{1, 3, true}, TextPart{3, 4, false}));
  EXPECT_THAT(parts("b", ""), IsEmpty());
  EXPECT_THAT(parts("\\s+(?!\\S)", "   x"),
              ElementsAre(TextPart{0, 2, true}, TextPart{2, 4, false}));
  EXPECT_THAT(parts("(?i:'S)\\p{L}", "a'sé"),
              ElementsAre(TextPart{0, 1, false}, TextPart{1, 5, true}));
}

TEST(TextPattern, FindsEmptyMatchesOnce) {
  EXPECT_THAT(parts("x*", "éx"),
              ElementsAre(TextPart{0, 0, true}, TextPart{0, 2, false}, TextPart{2, 3, true}));
}

TEST(TextPattern, OfALiteralTextHasNoSpecialCharacters) {
  const std::string all = "\\.+*?()|[]{}^$#&-~/ \t\n\r\v\fé";
  EXPECT_THAT(TextPattern::literal(all).value().parts(all + "a"),
              ElementsAre(TextPart{0, all.size(), true}, TextPart{all.size(), all.size() + 1}));
}

TEST(TextPattern, SaysWhatIsWrong) {
  EXPECT_THAT(TextPattern::compiled("(a").error().message, HasSubstr("unmatched parenthesis"));
}

TEST(TextPattern, EndsTheSearchWhenItTakesTooLong) {
  const std::string text(64, 'a');
  EXPECT_THAT(parts("(a|a|aa)*$b", text), ElementsAre(TextPart{0, text.size(), false}));
}

}  // namespace
}  // namespace ba
