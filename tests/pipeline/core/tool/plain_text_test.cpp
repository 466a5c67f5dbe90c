// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/full_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"

namespace ba {
namespace {

std::string plain(const std::string& json) { return plain_text(parse_exact<OrderedJson>(json)); }

TEST(PlainText, IsIndentedJsonWithItsDigitsAndLetters) {
  EXPECT_EQ(plain(R"([{"n":1.10,"city":"Zürich"},{}])"),
            "[\n  {\n    \"n\": 1.10,\n    \"city\": \"Zürich\"\n  },\n  {}\n]");
  EXPECT_EQ(plain("[]"), "[]");
  EXPECT_EQ(plain("null"), "null");
}

TEST(PlainText, OfATextIsThatText) { EXPECT_EQ(plain(R"("line 1\nline 2")"), "line 1\nline 2"); }

/// A plain loop cuts there, whatever it would have to read.
TEST(PlainText, IsCutWhereAPlainLoopCuts) {
  OrderedJson rows = OrderedJson::array();
  for (int i = 0; i < 20'000; ++i) rows.push_back({{"id", i}, {"name", "Zürich"}});
  const std::string whole = dump_exact(rows, 2);
  ASSERT_GT(whole.size(), 2 * kPlainResultBytesMax);
  const std::string text = plain_text(rows);
  EXPECT_LE(text.size(), kPlainResultBytesMax);
  EXPECT_GT(text.size() + 4, kPlainResultBytesMax) << "between two characters";
  EXPECT_TRUE(whole.starts_with(text));
  const std::string letters(kPlainResultBytesMax + 1, 'x');
  EXPECT_EQ(plain_text(letters).size(), kPlainResultBytesMax);
  EXPECT_EQ(plain_text({{"letters", letters}}).size(), kPlainResultBytesMax);
}

TEST(PlainText, OfEachNumberOfRowsIsThatOfAllOfThem) {
  for (const int count : {1, 63, 64, 65, 128, 129, 1'000}) {
    OrderedJson rows = OrderedJson::array();
    for (int i = 0; i < count; ++i) rows.push_back({{"id", i}});
    EXPECT_EQ(plain_text(rows), dump_exact(rows, 2)) << count;
  }
}

}  // namespace
}  // namespace ba
