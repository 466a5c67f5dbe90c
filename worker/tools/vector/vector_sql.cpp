// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/vector_sql.hpp"

#include "worker/tools/vector/stored_vector.hpp"

namespace ba {
namespace {

const char* operator_of(VectorDistance distance) {
  switch (distance) {
    case VectorDistance::Cosine:
      return "<=>";
    case VectorDistance::L2:
      return "<->";
    case VectorDistance::InnerProduct:
      return "<#>";
  }
  return "";
}

/// SELECT … FROM …; `third` stands where an exact search has the embedding. One character of the
/// text more than wanted shows that there is more.
std::string selected(const VectorIndexConfig& index, const std::string& third) {
  std::string sql = "SELECT " + quoted_name(index.id_column) + ", pg_catalog.left(" +
                    quoted_name(index.text_column) + "::pg_catalog.text, " +
                    std::to_string(index.text_chars_max + 1) + "), " + third;
  for (const std::string& column : index.metadata_columns) sql += ", " + quoted_name(column);
  return sql + " FROM " + quoted_table(index.table);
}

/// By the server's own operator, whatever others have made for the column's type, and to the byte,
/// whatever its collation takes for equal; the first half can use an index.
std::string is_tenants(const VectorIndexConfig& index, const std::string& parameter) {
  const std::string column = quoted_name(index.tenant_column) + "::pg_catalog.text";
  return column + " OPERATOR(pg_catalog.=) " + parameter + " AND " + column +
         " COLLATE pg_catalog.\"C\" OPERATOR(pg_catalog.=) " + parameter;
}

}  // namespace

std::string quoted_name(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string quoted_table(const std::string& table) {
  const std::size_t dot = table.find('.');
  if (dot == table.npos) return "\"public\"." + quoted_name(table);
  return quoted_name(table.substr(0, dot)) + "." + quoted_name(table.substr(dot + 1));
}

VectorStatement columns_statement(const VectorIndexConfig& index) {
  return {
      "SELECT a.attname, t.typname, n.nspname, a.atttypmod, t.typcategory, a.attcollation <> 0 "
      "FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid "
      "JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace "
      "WHERE a.attrelid = pg_catalog.to_regclass($1::pg_catalog.text) AND a.attnum > 0 "
      "AND NOT a.attisdropped AND a.attname IN ($2::pg_catalog.text, $3::pg_catalog.text)",
      {quoted_table(index.table), index.id_column, index.embedding_column}};
}

VectorStatement count_statement(const VectorOrder& order) {
  VectorStatement statement{
      "SELECT pg_catalog.count(*) FROM (SELECT 1 FROM " + quoted_table(order.index.table), {}};
  if (!order.index.tenant_column.empty()) {
    statement.sql += " WHERE " + is_tenants(order.index, "$1");
    statement.parameters = {order.tenant};
  }
  statement.sql +=
      " LIMIT " + std::to_string(static_cast<std::int64_t>(order.index.rows_max) + 1) + ") rows";
  return statement;
}

VectorStatement exact_statement(const VectorOrder& order) {
  VectorStatement statement{selected(order.index, quoted_name(order.index.embedding_column)), {}};
  if (order.index.tenant_column.empty()) return statement;
  statement.sql += " WHERE " + is_tenants(order.index, "$1");
  statement.parameters = {order.tenant};
  return statement;
}

/// The nearest first, equally near ones by id. Sorted from outside: an index of pgvector gives rows
/// in the order of the operator, and isn't used for an order by more than that. WITH TIES, so that
/// it doesn't depend on the plan which of equally near ones are among them.
VectorStatement nearest_statement(const VectorOrder& order, const VectorColumns& columns) {
  const std::string embedding = quoted_name(order.index.embedding_column);
  const std::string schema = quoted_name(columns.type_schema);
  const std::string most = std::to_string(order.results_max);
  std::string near =
      selected(order.index, embedding + " OPERATOR(" + schema + "." +
                                operator_of(order.index.distance) + ") $1::" + schema + ".vector");
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
    outer += ", " + name + " AS " + quoted_name(order.index.metadata_columns[i]);
  }
  VectorStatement statement{"SELECT " + outer + " FROM (" + near + ") near(" + inner +
                                ") ORDER BY n3, n1" +
                                (columns.collated_ids ? " COLLATE \"C\"" : "") + " LIMIT " + most,
                            {pgvector_text(order.embedding)}};
  if (!order.index.tenant_column.empty()) statement.parameters.push_back(order.tenant);
  return statement;
}

}  // namespace ba
