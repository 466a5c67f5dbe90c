// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/csv.hpp"

#include <gtest/gtest.h>

namespace ba::files {
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
  const CsvTable table("a,b\n1,2\n\"x\ny\",4\n5,6,7\n\"z\"w,8\n9,\"open\n10,11\n", kColumnsMax);
  ASSERT_EQ(table.row_count(), 3u);
  EXPECT_EQ(table.row(1), (Fields{"x\ny", "4"}));
  EXPECT_EQ(table.row(2), (Fields{"10", "11"}));
  ASSERT_EQ(table.bad_rows().size(), 3u);
  EXPECT_EQ(table.bad_rows()[0].line, 5u);
  EXPECT_EQ(table.bad_rows()[0].problem, "3 fields instead of 2");
  EXPECT_EQ(table.bad_rows()[1].line, 6u);
  EXPECT_EQ(table.bad_rows()[1].problem, "text after a closing quote");
  EXPECT_EQ(table.bad_rows()[2].line, 7u);
  EXPECT_EQ(table.bad_rows()[2].problem, "a quote is not closed");
}

TEST(CsvTable, KeepsTheFirstBadRowsAndCountsAll) {
  std::string text = "a,b\n1,2\n";
  for (int i = 0; i < 1000; ++i) text += "x,y,z\n";
  const CsvTable table(text, kColumnsMax);
  EXPECT_EQ(table.row_count(), 1u);
  EXPECT_EQ(table.bad_row_count(), 1000u);
  EXPECT_EQ(table.bad_rows().size(), CsvTable::kBadRowsKept);
  EXPECT_EQ(table.bad_rows().back().line, 12u);
}

TEST(CsvTable, KeepsShortRowsAndNamesTheirLines) {
  const CsvTable table("a,b,c\n1,2,3\n4\n5,6\n7,8,9\n", kColumnsMax);
  ASSERT_EQ(table.row_count(), 4u);
  EXPECT_EQ(table.row(1), (Fields{"4"}));
  EXPECT_EQ(table.row(2), (Fields{"5", "6"}));
  EXPECT_EQ(table.short_row_count(), 2u);
  EXPECT_EQ(table.short_rows(), (std::vector<std::size_t>{3, 4}));
}

TEST(CsvTable, AnUnclosedQuoteCostsItsRowWhereverTheNextQuoteIs) {
  std::string text = "id,note,n\n";
  for (int i = 1; i <= 100; ++i) {
    const std::string note = i == 3 ? "\"5 inch pipe" : i == 70 ? "pipe 7\"" : "ok";
    text += std::to_string(i) + "," + note + ",1\n";
  }
  const CsvTable table(text, kColumnsMax);
  EXPECT_EQ(table.row_count(), 99u) << "the quote of line 71 seems to close the one of line 4";
  ASSERT_EQ(table.bad_rows().size(), 1u);
  EXPECT_EQ(table.bad_rows()[0].line, 4u);
  EXPECT_EQ(table.row(67), (Fields{"69", "ok", "1"}));
  EXPECT_EQ(table.row(68), (Fields{"70", "pipe 7\"", "1"}));
  EXPECT_EQ(CsvTable("a,b\n1,\"x\n2,\"y\"\n3,\"z\"\n", kColumnsMax).row_count(), 2u);
}

TEST(CsvTable, ManyQuotesThatAreNotClosedTakeNoTime) {
  std::string text = "a,b\n";
  for (int i = 0; i < 200'000; ++i) text += i % 3 == 0 ? "1,\"x\n" : "2,\"y\"\n";
  EXPECT_EQ(CsvTable(text, kColumnsMax).bad_row_count(), 66'667u);
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

TEST(CsvTable, TheSeparatorIsTheOneThatTheRowsFit) {
  const CsvTable quoted("Day;\"Amount, net\";Place\n2024-03-01;12,50;Ulm\n", kColumnsMax);
  EXPECT_EQ(quoted.columns(), (Fields{"Day", "Amount, net", "Place"}));
  EXPECT_EQ(quoted.row(0), (Fields{"2024-03-01", "12,50", "Ulm"}));
  const CsvTable tabs("City, State\tPeople\nUlm, BW\t126000\n", kColumnsMax);
  EXPECT_EQ(tabs.columns(), (Fields{"City, State", "People"}));
  EXPECT_EQ(CsvTable("a|b\n1|2\n", kColumnsMax).row(0), (Fields{"1", "2"}));
  const CsvTable bars("a,b\nx|y,1\nz|w,2\n", kColumnsMax);
  EXPECT_EQ(bars.row(0), (Fields{"x|y", "1"}));
  EXPECT_EQ(CsvTable("a,b\nx;y,1\n", kColumnsMax).row(0), (Fields{"x;y", "1"}));
}

TEST(CsvTable, TextOfOneColumnIsNotSplitAtItsCommas) {
  const CsvTable table("comment\nGood, but slow\nBad\nwell, well, well\n", kColumnsMax);
  ASSERT_EQ(table.row_count(), 3u);
  EXPECT_EQ(table.row(2), (Fields{"well, well, well"}));
}

TEST(CsvTable, BlankLinesAreCellsOfOneColumnAndNothingElsewhere) {
  const CsvTable one("reading\n3\n\n5\n\n\n8\n", kColumnsMax);
  ASSERT_EQ(one.row_count(), 6u);
  EXPECT_EQ(one.row(1), (Fields{""}));
  EXPECT_EQ(one.row(5), (Fields{"8"}));
  const CsvTable two("\n\na,b\n\n1,2\n\n", kColumnsMax);
  EXPECT_EQ(two.row_count(), 1u);
  EXPECT_EQ(two.assumed(), (Fields{"2 blank lines left out"}));
}

TEST(CsvTable, SeparatorsAtTheEndsOfLinesAreNoColumn) {
  const CsvTable rows("a,b\n1,2,\n3,4,\n", kColumnsMax);
  EXPECT_EQ(rows.columns(), (Fields{"a", "b"}));
  ASSERT_EQ(rows.row_count(), 2u);
  EXPECT_EQ(rows.row(0), (Fields{"1", "2"}));
  const CsvTable both("a,b,\n1,2,\n3,4\n", kColumnsMax);
  EXPECT_EQ(both.columns(), (Fields{"a", "b"}));
  EXPECT_EQ(both.row(1), (Fields{"3", "4"}));
  EXPECT_EQ(both.short_row_count(), 0u);
  const CsvTable unnamed("a,b,\n1,2,\n3,4,5\n", kColumnsMax);
  EXPECT_EQ(unnamed.columns(), (Fields{"a", "b", "column_3"})) << "it has a value";
}

TEST(CsvTable, ARowWhoseSurplusFieldsAreBlankIsKept) {
  const CsvTable table("a,b\n1,2,,,\n3,4, ,\t\n5,6,\"\"\n7,,\n8,9,,x\n10,11\n", kColumnsMax);
  EXPECT_EQ(table.columns(), (Fields{"a", "b"}));
  ASSERT_EQ(table.row_count(), 5u);
  EXPECT_EQ(table.row(1), (Fields{"3", "4"}));
  EXPECT_EQ(table.row(3), (Fields{"7", ""}));
  EXPECT_EQ(table.row(4), (Fields{"10", "11"}));
  ASSERT_EQ(table.bad_rows().size(), 1u);
  EXPECT_EQ(table.bad_rows()[0].line, 6u);
  EXPECT_EQ(table.bad_rows()[0].problem, "4 fields instead of 2");
}

constexpr const char* kRowNames =
    "the header has no name for the first column, which has the rows' names";

TEST(CsvTable, RowNamesOfWhichTheHeaderSaysNothingAreAColumn) {
  for (const char* text :
       {"mpg,cyl\n\"Mazda RX4\",21,6\n\"Datsun 710\",22.8,4\n", "mpg,cyl\n\"Mazda RX4\",21,6\n",
        "\"mpg\",\"cyl\"\n\"Mazda RX4\",21,6\n\n\"Datsun 710\",22.8,4\n",
        "mpg,cyl\n\"Mazda RX4\",21,6\n\"Datsun 710\",22.8,4\n\"Valiant\",18.1,\n"}) {
    const CsvTable table(text, kColumnsMax);
    EXPECT_EQ(table.columns(), (Fields{"column_1", "mpg", "cyl"})) << text;
    ASSERT_GE(table.row_count(), 1u) << text;
    EXPECT_EQ(table.row(0), (Fields{"Mazda RX4", "21", "6"})) << text;
    EXPECT_EQ(table.bad_row_count(), 0u) << text;
    EXPECT_EQ(table.assumed().at(0), kRowNames) << text;
  }
  const CsvTable tabs("mpg\tcyl\n\"Mazda RX4\"\t21\t6\n\"Datsun 710\"\t22.8\t4\n", kColumnsMax);
  EXPECT_EQ(tabs.row(1), (Fields{"Datsun 710", "22.8", "4"}));
  const CsvTable one("\"x\"\n\"1\",5\n\"2\",7\n", kColumnsMax);
  EXPECT_EQ(one.columns(), (Fields{"column_1", "x"}));
  EXPECT_EQ(one.row(1), (Fields{"2", "7"}));
}

TEST(CsvTable, ABadRowAmongRowsWithNamesCostsItselfAlone) {
  std::string text = "a,b\n";
  for (int i = 1; i <= 40; ++i)
    text += "\"r" + std::to_string(i) + "\"" +
            (i == 7   ? ",1,2,3\n"
             : i == 9 ? ",\"1,2\n"
                      : ",1,2\n");
  const CsvTable table(text, kColumnsMax);
  EXPECT_EQ(table.columns(), (Fields{"column_1", "a", "b"}));
  EXPECT_EQ(table.row_count(), 38u);
  ASSERT_EQ(table.bad_rows().size(), 2u);
  EXPECT_EQ(table.bad_rows()[0].line, 8u);
  EXPECT_EQ(table.bad_rows()[0].problem, "4 fields instead of 3");
  EXPECT_EQ(table.bad_rows()[1].line, 10u);
}

TEST(CsvTable, RowsThatAreTooLongHaveNoNamesWhereOneFitsTheHeader) {
  const CsvTable table("a,b\n1,2,x\n3,4,y\n5,6\n", kColumnsMax);
  EXPECT_EQ(table.columns(), (Fields{"a", "b"}));
  EXPECT_EQ(table.row_count(), 1u);
  EXPECT_EQ(table.bad_row_count(), 2u);
  EXPECT_EQ(CsvTable("a,b\n1,2,\n3,4,\n", kColumnsMax).columns(), (Fields{"a", "b"}));
  EXPECT_EQ(CsvTable("a,b\n\"\",1,2\n\"\",3,4\n", kColumnsMax).row_count(), 0u) << "no names";
}

/// Commas within numbers, and a last column without a name.
TEST(CsvTable, WithoutQuotesASurplusFieldIsNoRowName) {
  for (const char* text :
       {"price,qty\n1,50,3\n1,75,4\n", "date,sales\n2024-01-01,5,ok\n2024-01-02,7,ok\n",
        "name,price\nApple,1,50\nPear,2,75\n", "id,price\n1,2,50\n2,3,75\n",
        "city,pop\nParis,2,100\nBerlin,3,600\n", "k,v\n\"a\",1,2\n\"a\",3,4\n"}) {
    const CsvTable table(text, kColumnsMax);
    EXPECT_EQ(table.row_count(), 0u) << text;
    ASSERT_EQ(table.bad_rows().size(), 2u) << text;
    EXPECT_EQ(table.bad_rows()[0].problem, "3 fields instead of 2") << text;
  }
}

TEST(CsvTable, RowNamesCountAmongTheColumns) {
  const CsvTable table("a,b,c,d\n\"r\",1,2,3,4\n", kColumnsMax);
  EXPECT_EQ(table.column_count(), 5u);
  EXPECT_TRUE(table.columns().empty());
  EXPECT_EQ(table.row_count(), 0u);
}

TEST(CsvTable, ALineMayNameTheSeparator) {
  for (const char* line : {"sep=;\n", "sep=;\r\n", "\"sep=;\"\n", "SEP=;\n"}) {
    const std::string text = line + std::string("a;b,c\n1;2,5\n3\n");
    const CsvTable table(text, kColumnsMax);
    EXPECT_EQ(table.columns(), (Fields{"a", "b,c"})) << line;
    EXPECT_EQ(table.row(0), (Fields{"1", "2,5"})) << line;
    EXPECT_EQ(table.short_rows(), (std::vector<std::size_t>{4})) << line;
  }
  for (const char* line : {"sep=\\\n", "sep=\"\n", "sep=a\n"})
    EXPECT_EQ(CsvTable(line + std::string("a,b\n1,2\n"), kColumnsMax).row_count(), 2u)
        << line << "separates nothing";
  EXPECT_EQ(CsvTable("sep=^\na^b\n1^2\n", kColumnsMax).row(0), (Fields{"1", "2"}));
}

TEST(CsvTable, ATitleAboveTheTableIsNoHeader) {
  for (const char* title : {"Sales 2024\n\n", "Sales 2024\n", "Sales;2024\n;;\n\n"}) {
    const std::string text = title + std::string("month;region;n\n1;north;10\n2;south;12\n");
    const CsvTable table(text, kColumnsMax);
    EXPECT_EQ(table.columns(), (Fields{"month", "region", "n"})) << title;
    EXPECT_EQ(table.row_count(), 2u) << title;
  }
}

TEST(CsvTable, LinesMayEndInAnyWay) {
  const Fields expected{"2", "two\nlines"};
  for (const char* text : {"a,b\n1,x\n2,\"two\nlines\"\n", "a,b\r\n1,x\r\n2,\"two\nlines\"\r\n",
                           "a,b\r1,x\r2,\"two\nlines\"\r", "a,b\n1,x\r2,\"two\nlines\"\r\n"}) {
    const CsvTable table(text, kColumnsMax);
    ASSERT_EQ(table.row_count(), 2u) << text;
    EXPECT_EQ(table.row(1), expected) << text;
  }
}

TEST(CsvTable, QuotesAreWrittenInManyWays) {
  EXPECT_EQ(CsvTable("a, b\n1, \"x, y\"\n2, z\n", kColumnsMax).row(0), (Fields{"1", "x, y"}));
  EXPECT_EQ(CsvTable("a,b\n1,\"say \\\"hi\\\", then\"\n", kColumnsMax).row(0),
            (Fields{"1", "say \"hi\", then"}));
  EXPECT_EQ(CsvTable("a,b\n1,\"C:\\dir\\\"\n2,x\n", kColumnsMax).row(0),
            (Fields{"1", "C:\\dir\\"}));
  EXPECT_EQ(CsvTable("'a','b'\n'1','it''s, so'\n", kColumnsMax).row(0), (Fields{"1", "it's, so"}));
  EXPECT_EQ(CsvTable("a\tb\n1\t\"5 inch\n2\t\"6 inch\n3\t\"7 inch\n", kColumnsMax).row(2),
            (Fields{"3", "\"7 inch"}))
      << "where no quote is ever closed, quotes are text";
  EXPECT_EQ(CsvTable("id,\"note\n1,ok\n", kColumnsMax).columns(), (Fields{"id", "\"note"}));
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
}  // namespace ba::files
