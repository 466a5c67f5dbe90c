// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/csv.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

using Fields = std::vector<std::string>;

constexpr std::size_t kColumnsMax = 4;

TEST(CsvTable, ReadsQuotesAndLineBreaksInsideThem) {
  const std::string text = "a,b\r\n1,\"x, \"\"y\"\"\"\n2,\"two\nlines\"\r\n,\"\"\n";
  const CsvTable table(text, kColumnsMax);
  EXPECT_EQ(table.columns(), (Fields{"a", "b"}));
  ASSERT_EQ(table.row_count(), 3u);
  EXPECT_EQ(table.row(0), (Fields{"1", "x, \"y\""}));
  EXPECT_EQ(table.row(1), (Fields{"2", "two\nlines"}));
  EXPECT_EQ(table.row(2), (Fields{"", ""}));
  EXPECT_TRUE(table.bad_rows().empty());
}

TEST(CsvTable, KeepsAQuoteInTheMiddleOfAField) {
  const CsvTable table("a,b\n5\" pipe,it's \"so\"\n", kColumnsMax);
  EXPECT_EQ(table.row(0), (Fields{"5\" pipe", "it's \"so\""}));
}

TEST(CsvTable, NeedsNoLineEndAfterTheLastRow) {
  const CsvTable table("a\n1\n2", kColumnsMax);
  EXPECT_EQ(table.row_count(), 2u);
}

TEST(CsvTable, NamesBadRowsByTheirLine) {
  const CsvTable table("a,b\n1,2\n3\n\"x\ny\",4\n5,6,7\n\"z\"w,8\n9,\"open\n10,11\n", kColumnsMax);
  ASSERT_EQ(table.row_count(), 2u);
  EXPECT_EQ(table.row(1), (Fields{"x\ny", "4"}));
  ASSERT_EQ(table.bad_rows().size(), 4u);
  EXPECT_EQ(table.bad_rows()[0].line, 3u);
  EXPECT_EQ(table.bad_rows()[0].problem, "1 fields instead of 2");
  EXPECT_EQ(table.bad_rows()[1].line, 6u);
  EXPECT_EQ(table.bad_rows()[1].problem, "3 fields instead of 2");
  EXPECT_EQ(table.bad_rows()[2].line, 7u);
  EXPECT_EQ(table.bad_rows()[2].problem, "text after a closing quote");
  EXPECT_EQ(table.bad_rows()[3].line, 8u);
  EXPECT_EQ(table.bad_rows()[3].problem, "a quote is not closed");
}

TEST(CsvTable, KeepsTheFirstBadRowsAndCountsAll) {
  std::string text = "a,b\n1,2\n";
  for (int i = 0; i < 1000; ++i) text += "x\n";
  const CsvTable table(text, kColumnsMax);
  EXPECT_EQ(table.row_count(), 1u);
  EXPECT_EQ(table.bad_row_count(), 1000u);
  EXPECT_EQ(table.bad_rows().size(), CsvTable::kBadRowsKept);
  EXPECT_EQ(table.bad_rows().back().line, 12u);
}

TEST(CsvTable, CountsTheColumnsOfAHeaderThatIsTooWide) {
  EXPECT_EQ(CsvTable("a,b,c,d\n1,2,3,4\n", kColumnsMax).row_count(), 1u);
  const CsvTable wide("a,b,c,d,e\n1,2,3,4,5\n", kColumnsMax);
  EXPECT_EQ(wide.column_count(), 5u);
  EXPECT_TRUE(wide.columns().empty());
  EXPECT_EQ(wide.row_count(), 0u);
}

TEST(CsvTable, MakesColumnNamesDistinct) {
  const CsvTable table("a,,a,a_2\n1,2,3,4\n", kColumnsMax);
  EXPECT_EQ(table.columns(), (Fields{"a", "column_2", "a_2", "a_2_2"}));
}

TEST(CsvTable, TakesSemicolonsAndTabsWhereTheHeaderHasNoComma) {
  EXPECT_EQ(CsvTable("a;b\n1;2,5\n", kColumnsMax).row(0), (Fields{"1", "2,5"}));
  EXPECT_EQ(CsvTable("a\tb\n1\t2\n", kColumnsMax).row(0), (Fields{"1", "2"}));
}

TEST(CsvTable, ReadsNothingFromNothing) {
  EXPECT_EQ(CsvTable("", kColumnsMax).row_count(), 0u);
  EXPECT_TRUE(CsvTable("", kColumnsMax).columns().empty());
  EXPECT_EQ(CsvTable("\xEF\xBB\xBF"
                     "a\n",
                     kColumnsMax)
                .columns(),
            (Fields{"a"}));
}

}  // namespace
}  // namespace ba
