// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/resolved/function_rules.hpp"

#include <gtest/gtest.h>

namespace ba::sql {
namespace {

using Names = std::vector<std::string>;

TEST(FunctionBody, PutsNumbersInThePlaceOfNames) {
  EXPECT_EQ(body_as_statement("SELECT n * 2", "twice", Names{"n"}), "SELECT $1 * 2");
  EXPECT_EQ(body_as_statement("SELECT \"n\"*m, twice.m, t.n FROM t", "twice", Names{"n", "m"}),
            "SELECT $1*$2, $2, t.n FROM t");
  EXPECT_EQ(body_as_statement("SELECT 'n', $1 /* n */ FROM t WHERE é = n", "f", Names{"n"}),
            "SELECT 'n', $1 /* n */ FROM t WHERE é = $1");
  EXPECT_EQ(body_as_statement("SELECT $1 + $2", "f", Names{}), "SELECT $1 + $2");
}

TEST(FunctionBody, IsSeenOnlyWhereItIsOneSelect) {
  for (const char* body :
       {"", "SELECT 1; SELECT 2", "INSERT INTO t VALUES (1)", "SELEC", "DELETE FROM t RETURNING 1"})
    EXPECT_FALSE(body_as_statement(body, "f", Names{})) << body;
}

TEST(FunctionBody, TellsWhichNamesAColumnWouldTake) {
  std::set<std::string> replaced;
  EXPECT_TRUE(body_as_statement("SELECT n, f.m, t.k FROM t", "f", Names{"n", "m", "k"}, &replaced));
  EXPECT_EQ(replaced, (std::set<std::string>{"n", "f"}));
  EXPECT_TRUE(may_mean_columns(replaced, "{ALIAS :aliasname t :colnames (\"a\" \"n\")}"));
  EXPECT_TRUE(may_mean_columns(replaced, "{ALIAS :aliasname f :colnames (\"a\")}"));
  EXPECT_FALSE(may_mean_columns(replaced, "{ALIAS :aliasname t :colnames (\"a\" \"nn\")}"));
  EXPECT_TRUE(may_mean_columns(replaced, "{ALIAS :aliasname\n\tf\n\t:colnames (\"a\")}"))
      << "lines of the server";
  EXPECT_TRUE(may_mean_columns({"\"odd\""}, ""));
}

}  // namespace
}  // namespace ba::sql
