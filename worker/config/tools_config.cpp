// SPDX-License-Identifier: Apache-2.0
#include "worker/config/tools_config.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "pipeline/base/key_checks.hpp"
#include "worker/tools/sql/statement/sql_rules.hpp"

namespace ba {
namespace {

constexpr std::size_t kNameMax = 63;

bool well_named(std::string_view name) {
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && name.size() <= kNameMax && letter(name[0]) &&
         std::ranges::all_of(
             name, [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

void check_name(KeyChecks& checks, const std::string& value, std::set<std::string>& taken) {
  checks.expect(well_named(value), "name", "'" + value + "'",
                "a lower-case letter followed by up to 62 lower-case letters, digits or "
                "underscores");
  checks.expect(taken.insert(value).second, "name", "'" + value + "'", "used once only");
}

std::string indexed(const char* key, std::size_t index) {
  return std::string(key) + "[" + std::to_string(index) + "]";
}

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
  check_name(checks, source.name, names);
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

/// Tools whose results are never kept, whatever a configuration says: they change something.
const std::set<std::string_view> kNeverCached{"file_write", "execute_command", "database_write"};

void check_settings(KeyChecks checks, const std::string& tool, const ToolSettings& settings) {
  const CachePolicy policy = settings.cache_policy.value_or(CachePolicy::NoCache);
  checks.expect(policy == CachePolicy::NoCache || !kNeverCached.contains(tool), "cache_policy",
                std::string(to_string(policy)), "no_cache: results of this tool are never kept");
}

void check_roots(std::vector<SettingProblem>& problems, const char* key,
                 const std::vector<FileRootConfig>& roots) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    KeyChecks checks(problems, indexed(key, i));
    check_name(checks, roots[i].name, names);
    checks.expect(roots[i].path.starts_with('/'), "path", "'" + roots[i].path + "'",
                  "an absolute path");
  }
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

std::vector<SettingProblem> validate(const ToolsConfig& config) {
  std::vector<SettingProblem> problems;
  std::set<std::string> sources;
  for (std::size_t i = 0; i < config.data_sources.size(); ++i) {
    const DataSourceConfig& source = config.data_sources[i];
    KeyChecks checks(problems, indexed("tools.data_sources", i));
    check_name(checks, source.name, sources);
    checks.given(!source.url.empty(), "url", "a PostgreSQL URL");
    check_tenancy(checks, source.tenancy);
  }
  std::set<std::string> writable;
  for (std::size_t i = 0; i < config.write_sources.size(); ++i)
    check_write_source(KeyChecks(problems, indexed("tools.database_write.data_sources", i)),
                       config.write_sources[i], writable);
  check_roots(problems, "tools.files.roots", config.files.roots);
  check_roots(problems, "tools.file_write.roots", config.file_write.roots);
  KeyChecks(problems, "tools.execute_command")
      .expect(config.command.bubblewrap.starts_with('/'), "bubblewrap",
              "'" + config.command.bubblewrap + "'", "an absolute path");
  for (const auto& [tool, settings] : config.settings)
    check_settings(KeyChecks(problems, "tools.settings." + tool), tool, settings);
  return problems;
}

}  // namespace ba
