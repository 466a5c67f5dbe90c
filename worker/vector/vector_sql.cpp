// SPDX-License-Identifier: Apache-2.0
#include "worker/vector/vector_sql.hpp"

#include "worker/vector/stored_vector.hpp"

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
      "SELECT count(*) FROM (SELECT 1 FROM " + quoted_table(order.index.table), {}};
  if (!order.index.tenant_column.empty()) {
    statement.sql += " WHERE " + quoted_name(order.index.tenant_column) + " = $1";
    statement.parameters = {order.tenant};
  }
  statement.sql +=
      " LIMIT " + std::to_string(static_cast<std::int64_t>(order.index.rows_max) + 1) + ") rows";
  return statement;
}

VectorStatement exact_statement(const VectorOrder& order) {
  VectorStatement statement{selected(order.index, quoted_name(order.index.embedding_column)), {}};
  if (order.index.tenant_column.empty()) return statement;
  statement.sql += " WHERE " + quoted_name(order.index.tenant_column) + " = $1";
  statement.parameters = {order.tenant};
  return statement;
}

VectorStatement nearest_statement(const VectorOrder& order, const VectorColumns& columns) {
  const std::string embedding = quoted_name(order.index.embedding_column);
  const std::string schema = quoted_name(columns.type_schema);
  VectorStatement statement{
      selected(order.index, embedding + " OPERATOR(" + schema + "." +
                                operator_of(order.index.distance) + ") $1::" + schema + ".vector"),
      {pgvector_text(order.embedding)}};
  statement.sql += " WHERE " + embedding + " IS NOT NULL";
  if (columns.dimensions < 0)
    statement.sql += " AND " + schema + ".vector_dims(" + embedding +
                     ") = " + std::to_string(order.embedding.size());
  if (!order.index.tenant_column.empty()) {
    statement.sql += " AND " + quoted_name(order.index.tenant_column) + " = $2";
    statement.parameters.push_back(order.tenant);
  }
  statement.sql += " ORDER BY 3, " + quoted_name(order.index.id_column);
  if (columns.collated_ids) statement.sql += " COLLATE \"C\"";
  statement.sql += " LIMIT " + std::to_string(order.results_max);
  return statement;
}

}  // namespace ba
