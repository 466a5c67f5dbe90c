// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/sql_config.hpp"

#include "worker/tools/base/setting_names.hpp"
#include "worker/tools/sql/statement/sql_rules.hpp"

namespace ba::sql {
namespace {

/// "orders" or "sales.orders", not the keys' own table.
bool writable_table(std::string_view name) {
  const std::size_t dot = name.find('.');
  const std::string_view table = dot == std::string_view::npos ? name : name.substr(dot + 1);
  return !table.empty() && dot != 0 && table.find('.') == std::string_view::npos &&
         !is_own_table(table);
}

/// A setting of the database's own has a dot in its name, as app.tenant.
bool custom_setting(std::string_view name) {
  const std::size_t dot = name.find('.');
  return dot != std::string_view::npos && dot > 0 && dot + 1 < name.size();
}

void check_tenancy(KeyChecks checks, const SourceTenancy& tenancy) {
  constexpr const char* kOwn = "a setting of your own with a dot in its name, as app.tenant";
  checks.expect(tenancy.tenant_setting.empty() || custom_setting(tenancy.tenant_setting),
                "tenant_setting", "'" + tenancy.tenant_setting + "'", kOwn);
  for (const auto& [tenant, own] : tenancy.tenants)
    for (const auto& [name, value] : own.settings)
      checks.expect(custom_setting(name), "tenants." + tenant + ".settings", "'" + name + "'",
                    kOwn);
}

void check_write_source(KeyChecks checks, const WriteSourceConfig& source,
                        std::set<std::string>& names) {
  tools::check_name(checks, source.name, names);
  checks.given(!source.url.empty(), "url", "a PostgreSQL URL");
  checks.given(!source.rules.tables.empty(), "tables", "a list of the tables that may be written");
  for (const std::string& table : source.rules.tables)
    checks.expect(writable_table(table), "tables", "'" + table + "'",
                  "a table's name, or its schema, a dot and its name; nor the table of keys");
  checks.given(!source.rules.statements.empty(), "statements", "a list of insert, update, delete");
  for (const std::string& table : source.also_changes)
    checks.expect(writable_table(table), "also_changes", "'" + table + "'",
                  "the name of a table or sequence, with its schema and a dot or without");
  check_tenancy(checks, source.tenancy);
}

}  // namespace

std::string_view to_string(WriteStatement statement) {
  switch (statement) {
    case WriteStatement::Insert:
      return "INSERT";
    case WriteStatement::Update:
      return "UPDATE";
    case WriteStatement::Delete:
      return "DELETE";
  }
  return "";
}

std::vector<SettingProblem> validate(const SqlConfig& config) {
  const std::vector<DataSourceConfig>& sources = config.data_sources;
  std::vector<SettingProblem> problems;
  std::set<std::string> names;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    KeyChecks checks(problems, tools::indexed("tools.data_sources", i));
    tools::check_name(checks, sources[i].name, names);
    checks.given(!sources[i].url.empty(), "url", "a PostgreSQL URL");
    check_tenancy(checks, sources[i].tenancy);
  }
  std::set<std::string> writable;
  for (std::size_t i = 0; i < config.write_sources.size(); ++i)
    check_write_source(KeyChecks(problems, tools::indexed("tools.database_write.data_sources", i)),
                       config.write_sources[i], writable);
  return problems;
}

}  // namespace ba::sql
