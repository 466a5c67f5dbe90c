// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/lower_case.hpp"
#include "worker/settings/section_reader.hpp"
#include "worker/tools/sql/sql_config.hpp"

namespace ba::sql {
namespace {

using settings::SectionReader;

/// Names of functions, in schema public where they have none.
void read_functions(SectionReader& in, std::set<std::string>& functions) {
  std::vector<std::string> names;
  in.read("functions", names);
  for (const std::string& name : names)
    functions.insert(name.find('.') == std::string::npos ? "public." + name : name);
}

void read_tenancy(SectionReader& in, SourceTenancy& tenancy) {
  in.read("tenant_setting", tenancy.tenant_setting);
  in.entries("tenants", [&](const std::string& tenant, SectionReader& entry) {
    SourceTenancy::Tenant& own = tenancy.tenants[tenant];
    entry.read("role", own.role);
    entry.read("settings", own.settings);
  });
}

void read_data_source(SectionReader& in, DataSourceConfig& source) {
  in.read("name", source.name);
  in.read("url", settings::PgAddress{source.url});
  in.read("description", source.description);
  in.read("tables", settings::TextOrFile{source.tables});
  in.read("row_limit", source.row_limit, kRowLimit);
  in.read("result_bytes_max", source.result_bytes_max, {1024, 64LL << 20});
  in.read("statement_timeout_ms", source.statement_timeout, {1, 3'600'000});
  in.read("connect_timeout_ms", source.connect_timeout, {1, 60'000});
  in.read("pool_size", source.pool_size, {1, 64});
  in.read("calls_per_minute", source.calls_per_minute, {0, 1'000'000});
  read_functions(in, source.functions);
  read_tenancy(in, source.tenancy);
}

void read_statements(SectionReader& in, std::set<WriteStatement>& statements) {
  std::vector<std::string> names{"insert", "update", "delete"};
  in.read("statements", names);
  std::set<WriteStatement> known;
  for (const std::string& name : names) {
    const std::string statement = lower_case(name);
    if (statement == "insert")
      known.insert(WriteStatement::Insert);
    else if (statement == "update")
      known.insert(WriteStatement::Update);
    else if (statement == "delete")
      known.insert(WriteStatement::Delete);
    else
      in.refuse("statements", {.kind = SectionReader::Kind::NotAChoice,
                               .value = name,
                               .allowed = "insert, update, delete"});
  }
  if (!known.empty() || names.empty()) statements = std::move(known);
}

void read_write_source(SectionReader& in, WriteSourceConfig& source) {
  in.read("name", source.name);
  in.read("url", settings::PgAddress{source.url});
  in.read("description", settings::TextOrFile{source.description});
  in.read("tables", source.rules.tables);
  read_statements(in, source.rules.statements);
  in.read("row_limit", source.row_limit, {1, 1'000'000});
  in.read("result_bytes_max", source.result_bytes_max, {1024, 1024 * 1024});
  in.read("statement_timeout_ms", source.statement_timeout, {1, 3'600'000});
  in.read("lock_timeout_ms", source.lock_timeout, {1, 3'600'000});
  in.read("connect_timeout_ms", source.connect_timeout, {1, 60'000});
  in.read("pool_size", source.pool_size, {1, 64});
  in.read("calls_per_minute", source.calls_per_minute, {0, 1'000'000});
  in.read("keep_days", source.keep_days, {1, 3650});
  read_functions(in, source.functions);
  in.read("also_changes", source.also_changes);
  read_tenancy(in, source.tenancy);
}

}  // namespace

void read_sql(SectionReader& tools, SqlConfig& sql) {
  tools.list("data_sources", [&](SectionReader& inner) {
    read_data_source(inner, sql.data_sources.emplace_back());
  });
  tools.section("database_write", [&](SectionReader& write) {
    write.list("data_sources", [&](SectionReader& inner) {
      read_write_source(inner, sql.write_sources.emplace_back());
    });
  });
}

}  // namespace ba::sql
