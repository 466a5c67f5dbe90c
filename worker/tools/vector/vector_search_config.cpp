// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/vector_search_config.hpp"

#include <algorithm>
#include <set>

#include "pipeline/base/joined.hpp"
#include "pipeline/base/nearest_word.hpp"
#include "worker/http/url.hpp"
#include "worker/settings/section_reader.hpp"
#include "worker/tools/base/setting_names.hpp"

namespace ba::vector {
namespace {

constexpr std::size_t kNameBytesMax = 63;  // of PostgreSQL

bool identifier(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax && name.find('\0') == name.npos;
}

/// "table" or "schema.table".
bool table_name(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == name.npos) return identifier(name);
  const std::string_view table = name.substr(dot + 1);
  return identifier(name.substr(0, dot)) && identifier(table) && table.find('.') == table.npos;
}

void check_column(KeyChecks& checks, const char* name, const std::string& value) {
  checks.expect(identifier(value), name, "'" + value + "'", "a column's name of 1 to 63 bytes");
}

void check_embeddings(KeyChecks checks, const VectorSearchConfig& config) {
  checks.expect(http::is_http_url(config.base_url), "base_url",
                "'" + http::shown_url(config.base_url) + "'",
                "http(s)://host[:port][/path] without a user, a query or a fragment, where "
                "/embeddings answers; a key belongs in api_key");
  checks.expect(!config.model.empty(), "model", "''", "the name of an embedding model");
  checks.expect(config.dimensions > 0, "dimensions", std::to_string(config.dimensions),
                vector_bounds::kDimensions.text());
  http_service::check_service(checks, config);
  checks.expect(!config.indexes.empty(), "indexes", "an empty list", "a list of one index or more");
}

void check_columns(KeyChecks& checks, const VectorIndexConfig& index) {
  check_column(checks, "id_column", index.id_column);
  check_column(checks, "text_column", index.text_column);
  check_column(checks, "embedding_column", index.embedding_column);
  std::set<std::string> named;
  for (const std::string& column : index.metadata_columns) {
    check_column(checks, "metadata_columns", column);
    checks.expect(named.insert(column).second, "metadata_columns", "'" + column + "'",
                  "named once only");
  }
}

/// Rows of all tenants are shown to each only where somebody has said so.
void check_tenants(KeyChecks& checks, const VectorIndexConfig& index) {
  if (!index.tenant_column.empty()) check_column(checks, "tenant_column", index.tenant_column);
  checks.expect(!index.tenant_column.empty() || index.shared_by_tenants, "tenant_column", "''",
                "the column that has a row's tenant; without one, shared_by_tenants: true must "
                "say that every tenant may read all rows");
  checks.expect(index.tenant_column.empty() || !index.shared_by_tenants, "shared_by_tenants",
                "true", "possible beside tenant_column: leave out one of them");
}

void check_index(KeyChecks checks, const VectorIndexConfig& index,
                 const std::vector<sql::DataSourceConfig>& sources) {
  tools::check_well_named(checks, index.name);
  std::vector<std::string> known;
  for (const sql::DataSourceConfig& source : sources) known.push_back(source.name);
  const auto near = nearest_word(index.data_source, known);
  checks.expect(std::ranges::find(known, index.data_source) != known.end(), "data_source",
                "'" + index.data_source + "'",
                "the name of one of tools.data_sources (there are: " + joined_or_none(known) + ")",
                {"tools.data_sources"}, near ? "'" + *near + "'" : "");
  checks.expect(table_name(index.table), "table", "'" + index.table + "'",
                "a table's name (of schema public) or SCHEMA.TABLE");
  check_columns(checks, index);
  check_tenants(checks, index);
}

using settings::SectionReader;

void read_index(SectionReader& in, VectorIndexConfig& index) {
  in.read("name", index.name);
  in.read("description", index.description);
  in.read("data_source", index.data_source);
  in.read("table", index.table);
  in.read("id_column", index.id_column);
  in.read("text_column", index.text_column);
  in.read("embedding_column", index.embedding_column);
  in.read("tenant_column", index.tenant_column);
  in.read("shared_by_tenants", index.shared_by_tenants);
  in.read("metadata_columns", index.metadata_columns);
  in.read("distance", index.distance, kVectorDistanceNames);
  in.read("rows_max", index.rows_max, {1, 1'000'000});
  in.read("read_bytes_max", index.read_bytes_max, {64 * 1024, 4LL << 30});
  in.read("results_max", index.results_max, vector_bounds::kResultsMax);
  in.read("text_chars_max", index.text_chars_max, {1, 100'000});
}

}  // namespace

void read_vector_search(SectionReader& tools, VectorSearchConfig& search) {
  tools.section("vector_search", [&](SectionReader& in) {
    http_service::read_service(in, search);
    in.read("model", search.model);
    in.read("dimensions", search.dimensions, {0, vector_bounds::kDimensions.most});
    in.list("indexes",
            [&](SectionReader& inner) { read_index(inner, search.indexes.emplace_back()); });
  });
}

std::vector<SettingProblem> validate(const VectorSearchConfig& config,
                                     const std::vector<sql::DataSourceConfig>& sources) {
  std::vector<SettingProblem> problems;
  if (!config.base_url.empty())
    check_embeddings(KeyChecks(problems, "tools.vector_search"), config);
  std::set<std::string> names;
  for (std::size_t i = 0; i < config.indexes.size(); ++i) {
    KeyChecks checks(problems, "tools.vector_search.indexes[" + std::to_string(i) + "]");
    check_index(checks, config.indexes[i], sources);
    checks.expect(names.insert(config.indexes[i].name).second, "name",
                  "'" + config.indexes[i].name + "'", "used once only");
  }
  return problems;
}

}  // namespace ba::vector
