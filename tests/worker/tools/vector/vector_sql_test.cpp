// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/vector_sql.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ba::vector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

VectorOrder order() {
  VectorOrder order;
  order.index.table = "kb.passages";
  order.index.tenant_column = "tenant";
  order.index.text_chars_max = 7;
  order.index.rows_max = 5;
  order.tenant = "a' OR 1=1 --";
  order.embedding = {1, 0.5};
  order.results_max = 3;
  return order;
}

/// Equal, and to the byte: a column's collation may take "A" for "a".
std::string of_the_tenant(const std::string& parameter) {
  return "\"tenant\"::pg_catalog.text OPERATOR(pg_catalog.=) " + parameter +
         " AND \"tenant\"::pg_catalog.text COLLATE pg_catalog.\"C\" OPERATOR(pg_catalog.=) " +
         parameter;
}

TEST(VectorSql, QuotesWhateverANameHas) {
  VectorOrder wanted = order();
  wanted.index.id_column = "a\"; DROP TABLE b; --";
  EXPECT_THAT(exact_statement(wanted).sql, HasSubstr("SELECT \"a\"\"; DROP TABLE b; --\", "));
  wanted.index.table = "Passages";
  EXPECT_THAT(exact_statement(wanted).sql, HasSubstr(" FROM public.\"Passages\" "));
  wanted.index.table = "k\"b.p";
  EXPECT_THAT(exact_statement(wanted).sql, HasSubstr(" FROM \"k\"\"b\".\"p\" "));
}

TEST(VectorSql, ReadsAllRowsOfTheTenantForAnExactSearch) {
  VectorOrder wanted = order();
  wanted.index.metadata_columns = {"page", "a\"b"};
  const VectorStatement exact = exact_statement(wanted);
  EXPECT_EQ(
      exact.sql,
      "SELECT \"id\", pg_catalog.left(\"text\"::pg_catalog.text, 8), \"embedding\", \"page\", "
      "\"a\"\"b\" FROM \"kb\".\"passages\" WHERE " +
          of_the_tenant("$1"));
  EXPECT_THAT(exact.parameters, ElementsAre("a' OR 1=1 --"));
  const VectorStatement count = count_statement(wanted);
  EXPECT_EQ(count.sql, "SELECT pg_catalog.count(*) FROM (SELECT 1 FROM \"kb\".\"passages\" WHERE " +
                           of_the_tenant("$1") + " LIMIT 6) rows");
  EXPECT_THAT(count.parameters, ElementsAre("a' OR 1=1 --"));
}

TEST(VectorSql, HasNoConditionWhereTheIndexIsShared) {
  VectorOrder wanted = order();
  wanted.index.tenant_column.clear();
  EXPECT_THAT(exact_statement(wanted).sql, Not(HasSubstr("WHERE")));
  EXPECT_THAT(exact_statement(wanted).parameters, IsEmpty());
  EXPECT_THAT(count_statement(wanted).parameters, IsEmpty());
  EXPECT_THAT(nearest_statement(wanted, {}).parameters, ElementsAre("[1,0.5]"));
}

TEST(VectorSql, LetsPgvectorCompareByItsOperators) {
  VectorOrder wanted = order();
  VectorColumns columns;
  columns.type_schema = "ext";
  columns.dimensions = 2;
  EXPECT_EQ(nearest_statement(wanted, columns).sql,
            "SELECT n1, n2, n3 FROM ("
            "SELECT \"id\", pg_catalog.left(\"text\"::pg_catalog.text, 8), \"embedding\" "
            "OPERATOR(\"ext\".<=>) $1::\"ext\".vector FROM \"kb\".\"passages\" WHERE \"embedding\" "
            "IS NOT NULL AND " +
                of_the_tenant("$2") +
                " ORDER BY 3 "
                "FETCH FIRST 3 ROWS WITH TIES"
                ") near(n1, n2, n3) ORDER BY n3, n1 LIMIT 3");
  EXPECT_THAT(nearest_statement(wanted, columns).parameters,
              ElementsAre("[1,0.5]", "a' OR 1=1 --"));
  wanted.index.distance = VectorDistance::L2;
  EXPECT_THAT(nearest_statement(wanted, columns).sql, HasSubstr("(\"ext\".<->)"));
  wanted.index.distance = VectorDistance::InnerProduct;
  EXPECT_THAT(nearest_statement(wanted, columns).sql, HasSubstr("(\"ext\".<#>)"));
}

TEST(VectorSql, LeavesOutOtherDimensionsWhereTheColumnTakesAny) {
  VectorColumns columns;
  columns.type_schema = "public";
  columns.collated_ids = true;
  const std::string sql = nearest_statement(order(), columns).sql;
  EXPECT_THAT(sql, HasSubstr("AND \"public\".vector_dims(\"embedding\") = 2 AND"));
  EXPECT_THAT(sql, HasSubstr("ORDER BY n3, n1 COLLATE \"C\" LIMIT 3"));
}

TEST(VectorSql, WritesVectorsForPgvectorWithTheBytesOfAFloat) {
  EXPECT_EQ(pgvector_text({0.5, -1, 0.1, 1e-30}), "[0.5,-1,0.1,1e-30]");
  EXPECT_EQ(pgvector_text({0.1234567890123}), "[0.12345679]");
}

}  // namespace
}  // namespace ba::vector
