// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/data_source_check.hpp"

#include <algorithm>
#include <utility>

#include "storage/libpq/connect_failure.hpp"
#include "storage/libpq/conninfo.hpp"
#include "worker/tools/sql/connection/session_settings.hpp"
#include "worker/tools/sql/connection/source_login.hpp"
#include "worker/tools/sql/resolved/node_dump.hpp"
#include "worker/tools/sql/source_check/source_questions.hpp"
#include "worker/tools/sql/statement/sql_guard.hpp"

namespace ba::sql {
namespace {

using Failure = PgConnection::Failure;
using Clock = PgConnection::Clock;

constexpr Milliseconds kQueryTimeout{10000};

Failure ask_lines(PgConnection& connection, const char* question,
                  const std::vector<std::string>& parameters, const SqlWait& until,
                  std::vector<std::string>& lines) {
  RowLines sink(lines);
  return connection.query({"BEGIN READ ONLY", kCatalogPath}, question, parameters, until, sink);
}

/// Statements of a server of another version are refused, each.
std::vector<SourceHindrance> unfit_version(int major) {
  if (major >= kServerMajorMin && major <= kServerMajorMax) return {};
  const std::string versions =
      std::to_string(kServerMajorMin) + " to " + std::to_string(kServerMajorMax);
  return {
      {"the server is PostgreSQL " + std::to_string(major) + ", where every statement is refused",
       "use a server of version " + versions}};
}

Failure ask_all(PgConnection& connection, const DataSourceConfig& source, DataSourceFacts& facts) {
  const tools::Cancellation never;
  const SqlWait until{Clock::now() + kQueryTimeout, never};
  std::vector<std::string> tables;
  if (Failure failure = ask_lines(connection, kTablesQuestion, {}, until, tables)) return failure;
  facts.tables = listing_of(tables);
  const char* const rights = excess_rights_question().c_str();
  RoleFindings found;
  if (Failure failure = ask_lines(connection, rights, {}, until, found.rights)) return failure;
  if (Failure failure = look_at_tenant_roles(connection, source.tenancy, rights, until, found))
    return failure;
  facts.excess_rights = std::move(found.rights);
  for (SourceHindrance& one : found.hindrances) facts.hindrances.push_back(std::move(one));
  Failure failure = look_at_tenant_settings(connection, source.tenancy, until, facts.hindrances,
                                            facts.idle_settings);
  // A function that an operator vouches for may ask for the setting.
  if (!source.functions.empty()) facts.idle_settings.clear();
  return failure;
}

Failure ask_writing(PgConnection& connection, const WriteSourceConfig& source,
                    WriteSourceFacts& facts) {
  const tools::Cancellation never;
  const SqlWait until{Clock::now() + kQueryTimeout, never};
  const bool as_login = std::ranges::all_of(
      source.tenancy.tenants, [](const auto& tenant) { return tenant.second.role.empty(); });
  if (Failure failure = ask_lines(
          connection, kLacksQuestion,
          {tables_parameter(source.rules.tables), as_login ? "true" : "false"}, until, facts.lacks))
    return failure;
  RoleFindings found;
  if (Failure failure = look_at_tenant_roles(connection, source.tenancy, nullptr, until, found))
    return failure;
  Failure failure = look_at_tenant_settings(connection, source.tenancy, until, found.hindrances,
                                            facts.idle_settings);
  if (!source.functions.empty()) facts.idle_settings.clear();
  for (const std::string& line : found.rights) facts.lacks.push_back("the login role " + line);
  for (const SourceHindrance& one : found.hindrances) facts.lacks.push_back(one.text());
  return failure;
}

Result<void> enter(PgConnection& connection, const auto& source) {
  if (const auto problem = storage::conninfo_problem(source.url))
    return invalid_argument("data source '" + source.name +
                            "': the url can't be used: " + *problem);
  const tools::Cancellation never;
  if (const auto failure = connection.connect(source.url, source.connect_timeout, never))
    return data_source_error(*failure, source.name, source.url);
  return {};
}

Error given_up(PgConnection& connection, const auto& source, const SqlFailure& failure) {
  connection.abandon();
  return data_source_error(failure, source.name, source.url);
}

}  // namespace

Result<DataSourceFacts> inspect(const DataSourceConfig& source) {
  PgConnection connection;
  if (auto entered = enter(connection, source); !entered) return entered.error();
  DataSourceFacts facts;
  facts.server_major = connection.server_major();
  facts.superuser = connection.superuser();
  facts.protection = storage::protection_words(connection.encrypted(), source.url);
  facts.hindrances = unfit_version(facts.server_major);
  if (const auto failure = ask_all(connection, source, facts))
    return given_up(connection, source, *failure);
  return facts;
}

Result<WriteSourceFacts> inspect_writing(const WriteSourceConfig& source) {
  PgConnection connection;
  if (auto entered = enter(connection, source); !entered) return entered.error();
  if (connection.superuser())
    return invalid_argument("data source '" + source.name +
                            "': the login role is a superuser, which is refused. Give it a role of "
                            "its own with the rights it needs");
  WriteSourceFacts facts;
  if (const auto failure = ask_writing(connection, source, facts))
    return given_up(connection, source, *failure);
  return facts;
}

}  // namespace ba::sql
