// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/vector_sql.hpp"

#include <charconv>
#include <iterator>

#include "worker/tools/sql/connection/session_settings.hpp"

namespace ba::vector {
namespace {

constexpr EnumNames<VectorDistance, 3> kOperators{{{VectorDistance::Cosine, "<=>"},
                                                   {VectorDistance::L2, "<->"},
                                                   {VectorDistance::InnerProduct, "<#>"}}};

/// SELECT … FROM …; `third` stands where an exact search has the embedding. One character of the
/// text more than wanted shows that there is more.
std::string selected(const VectorIndexConfig& index, const std::string& third) {
  std::string sql = "SELECT " + sql::sql_identifier(index.id_column) + ", pg_catalog.left(" +
                    sql::sql_identifier(index.text_column) + "::pg_catalog.text, " +
                    std::to_string(index.text_chars_max + 1) + "), " + third;
  for (const std::string& column : index.metadata_columns)
    sql += ", " + sql::sql_identifier(column);
  return sql + " FROM " + sql::sql_table(index.table);
}

/// By the server's own operator, whatever others have made for the column's type, and to the byte,
/// whatever its collation takes for equal; the first half can use an index.
std::string is_tenants(const VectorIndexConfig& index, const std::string& parameter) {
  const std::string column = sql::sql_identifier(index.tenant_column) + "::pg_catalog.text";
  return column + " OPERATOR(pg_catalog.=) " + parameter + " AND " + column +
         " COLLATE pg_catalog.\"C\" OPERATOR(pg_catalog.=) " + parameter;
}

}  // namespace

std::string pgvector_text(const std::vector<double>& numbers) {
  std::string text = "[";
  char digits[32];
  for (const double number : numbers) {
    if (text.size() > 1) text += ',';
    const auto [end, unused] =
        std::to_chars(std::begin(digits), std::end(digits), static_cast<float>(number));
    text.append(std::begin(digits), end);
  }
  return text + "]";
}

VectorStatement columns_statement(const VectorIndexConfig& index) {
  return {
      "SELECT a.attname, t.typname, n.nspname, a.atttypmod, t.typcategory, a.attcollation <> 0 "
      "FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid "
      "JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace "
      "WHERE a.attrelid = pg_catalog.to_regclass($1::pg_catalog.text) AND a.attnum > 0 "
      "AND NOT a.attisdropped AND a.attname IN ($2::pg_catalog.text, $3::pg_catalog.text)",
      {sql::sql_table(index.table), index.id_column, index.embedding_column}};
}

VectorStatement count_statement(const VectorOrder& order) {
  VectorStatement statement{
      "SELECT pg_catalog.count(*) FROM (SELECT 1 FROM " + sql::sql_table(order.index.table), {}};
  if (!order.index.tenant_column.empty()) {
    statement.sql += " WHERE " + is_tenants(order.index, "$1");
    statement.parameters = {order.tenant};
  }
  statement.sql +=
      " LIMIT " + std::to_string(static_cast<std::int64_t>(order.index.rows_max) + 1) + ") rows";
  return statement;
}

VectorStatement exact_statement(const VectorOrder& order) {
  VectorStatement statement{
      selected(order.index, sql::sql_identifier(order.index.embedding_column)), {}};
  if (order.index.tenant_column.empty()) return statement;
  statement.sql += " WHERE " + is_tenants(order.index, "$1");
  statement.parameters = {order.tenant};
  return statement;
}

/// The nearest first, equally near ones by id. Sorted from outside: an index of pgvector gives rows
/// in the order of the operator, and isn't used for an order by more than that. WITH TIES, so that
/// it doesn't depend on the plan which of equally near ones are among them.
VectorStatement nearest_statement(const VectorOrder& order, const VectorColumns& columns) {
  const std::string embedding = sql::sql_identifier(order.index.embedding_column);
  const std::string schema = sql::sql_identifier(columns.type_schema);
  const std::string most = std::to_string(order.results_max);
  std::string near =
      selected(order.index, embedding + " OPERATOR(" + schema + "." +
                                std::string(name_of(kOperators, order.index.distance)) +
                                ") $1::" + schema + ".vector");
  near += " WHERE " + embedding + " IS NOT NULL";
  if (columns.dimensions < 0)
    near += " AND " + schema + ".vector_dims(" + embedding +
            ") = " + std::to_string(order.embedding.size());
  if (!order.index.tenant_column.empty()) near += " AND " + is_tenants(order.index, "$2");
  near += " ORDER BY 3 FETCH FIRST " + most + " ROWS WITH TIES";
  std::string inner = "n1, n2, n3";
  std::string outer = inner;
  for (std::size_t i = 0; i < order.index.metadata_columns.size(); ++i) {
    const std::string name = "n" + std::to_string(i + 4);
    inner += ", " + name;
    outer += ", " + name + " AS " + sql::sql_identifier(order.index.metadata_columns[i]);
  }
  VectorStatement statement{"SELECT " + outer + " FROM (" + near + ") near(" + inner +
                                ") ORDER BY n3, n1" +
                                (columns.collated_ids ? " COLLATE \"C\"" : "") + " LIMIT " + most,
                            {pgvector_text(order.embedding)}};
  if (!order.index.tenant_column.empty()) statement.parameters.push_back(order.tenant);
  return statement;
}

}  // namespace ba::vector
