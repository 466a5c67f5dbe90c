// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/data_source_check.hpp"

#include <functional>
#include <utility>

#include "pipeline/message/utf8.hpp"
#include "worker/tools/pg_connection.hpp"
#include "worker/tools/pg_value.hpp"
#include "worker/tools/sql_errors.hpp"
#include "worker/tools/sql_guard.hpp"

namespace ba {
namespace {

constexpr Milliseconds kQueryTimeout{10000};
constexpr int kTablesMax = 60;
constexpr std::size_t kLineBytesMax = 1000;
constexpr std::size_t kTablesBytesMax = 8192;

constexpr const char* kTables = R"sql(
SELECT CASE WHEN n.nspname = 'public' THEN '' ELSE quote_ident(n.nspname) || '.' END
       || quote_ident(c.relname) || '('
       || (SELECT string_agg(quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod),
                             ', ' ORDER BY a.attnum)
             FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)
       || ')' || coalesce(' -- ' || obj_description(c.oid, 'pg_class'), '')
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
   AND n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema'
   AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
 ORDER BY n.nspname <> 'public', n.nspname, c.relname)sql";

constexpr const char* kExcessRights = R"sql(
SELECT 'may write ' || count(*) || ' tables, for example ' || min(c.relname)
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p', 'v', 'f') AND n.nspname NOT LIKE 'pg\_%'
   AND n.nspname <> 'information_schema'
   AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
HAVING count(*) > 0
UNION ALL
SELECT 'may create objects in schema ' || string_agg(quote_ident(nspname), ', ')
  FROM pg_namespace WHERE has_schema_privilege(oid, 'CREATE') HAVING count(*) > 0
UNION ALL
SELECT 'may create temporary tables'
 WHERE has_database_privilege(current_database(), 'TEMPORARY')
UNION ALL
SELECT 'may create schemas' WHERE has_database_privilege(current_database(), 'CREATE')
UNION ALL
SELECT 'may execute ' || count(*) || ' functions with side effects, for example '
       || min(p.proname) || '()'
  FROM pg_proc p
 WHERE p.pronamespace = 'pg_catalog'::regnamespace
   AND (p.proname LIKE 'lo\_%' OR p.proname LIKE 'pg\_%advisory%'
        OR p.proname IN ('set_config', 'pg_notify', 'pg_sleep'))
   AND p.prokind = 'f' AND has_function_privilege(p.oid, 'EXECUTE')
HAVING count(*) > 0
UNION ALL
SELECT 'may ' || word FROM pg_roles, LATERAL (VALUES
         (rolcreaterole, 'create roles'), (rolcreatedb, 'create databases'),
         (rolreplication, 'replicate'), (rolbypassrls, 'bypass row security')) AS r(has, word)
 WHERE rolname = current_user AND r.has)sql";

/// What is missing for a writer of the tables $1.
constexpr const char* kLacksForWriting = R"sql(
WITH keys AS (SELECT to_regclass('public.ba_effects') AS id)
SELECT 'has no table public.ba_effects: its owner creates it with effects_table.sql'
  FROM keys WHERE id IS NULL
UNION ALL
SELECT 'does not let its login role use public.ba_effects: it needs SELECT, INSERT, UPDATE, DELETE'
  FROM keys WHERE id IS NOT NULL
   AND NOT (has_table_privilege(id, 'SELECT') AND has_table_privilege(id, 'INSERT')
            AND has_table_privilege(id, 'UPDATE') AND has_table_privilege(id, 'DELETE'))
UNION ALL
SELECT 'has no table ' || name FROM json_array_elements_text($1::json) AS t(name)
 WHERE to_regclass(name) IS NULL)sql";

/// ["public.\"orders\""] with each part quoted for PostgreSQL.
std::string quoted_tables(const std::vector<std::string>& tables) {
  std::string json = "[";
  for (const std::string& table : tables) {
    const std::size_t dot = table.find('.');
    const std::string schema = dot == std::string::npos ? "public" : table.substr(0, dot);
    const std::string name = dot == std::string::npos ? table : table.substr(dot + 1);
    json += (json.size() > 1 ? "," : "") + json_quoted("\"" + schema + "\".\"" + name + "\"");
  }
  return json + "]";
}

/// The first column of each row, in order.
class Lines final : public RowSink {
 public:
  explicit Lines(std::vector<std::string>& lines) : lines_(lines) {}
  void columns(const std::vector<Column>&) override {}
  bool row(const Row& row) override {
    lines_.push_back(std::string(row.at(0).value_or("")));
    return true;
  }
  void oversize() override {}

 private:
  std::vector<std::string>& lines_;
};

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  if (text.size() <= kLineBytesMax) return text;
  return std::string(utf8_prefix(text, kLineBytesMax)) + "…";
}

std::string listing(const std::vector<std::string>& tables) {
  std::string text;
  int shown = 0;
  for (const std::string& table : tables) {
    const std::string line = one_line(table);
    if (shown == kTablesMax || text.size() + line.size() > kTablesBytesMax) break;
    text += (shown++ > 0 ? "\n" : "") + line;
  }
  const int left = static_cast<int>(tables.size()) - shown;
  if (left > 0)
    text += "\n… and " + std::to_string(left) + " more: see information_schema.tables and .columns";
  return text;
}

}  // namespace

Error data_source_error(const SqlFailure& failure, const std::string& source) {
  const ToolError told = error_of(failure, source);
  Error error;
  error.code = told.type == ToolErrorType::DependencyError  ? ErrorCode::Authentication
               : told.type == ToolErrorType::TransientError ? ErrorCode::Unavailable
                                                            : ErrorCode::Internal;
  error.retry = error.code == ErrorCode::Unavailable ? Retry::Later : Retry::Never;
  error.message = told.message;
  if (!failure.refusal.empty()) error.message += ": " + failure.refusal;
  if (failure.refusal.starts_with("permission denied")) error.code = ErrorCode::PermissionDenied;
  error.detail = told.code;
  return error;
}

Result<DataSourceFacts> inspect(const DataSourceConfig& source) {
  if (!PgConnection::readable(source.url))
    return invalid_argument("data source '" + source.name +
                            "': the url is not a PostgreSQL URL (postgresql://user@host/database)");
  const Cancellation never;
  PgConnection connection;
  if (const auto failure = connection.connect(source.url, source.connect_timeout, never))
    return data_source_error(*failure, source.name);
  DataSourceFacts facts;
  facts.server_major = connection.server_major();
  facts.superuser = connection.superuser();
  std::vector<std::string> tables;
  const auto deadline = PgConnection::Clock::now() + kQueryTimeout;
  for (auto [sql, lines] : {std::pair{kTables, &tables}, {kExcessRights, &facts.excess_rights}}) {
    Lines sink(*lines);
    if (const auto failure =
            connection.query({"BEGIN READ ONLY"}, sql, {}, deadline, never, sink)) {
      connection.abandon();
      return data_source_error(*failure, source.name);
    }
  }
  facts.tables = listing(tables);
  return facts;
}

Result<std::vector<std::string>> lacks_for_writing(const WriteSourceConfig& source) {
  if (!PgConnection::readable(source.url))
    return invalid_argument("data source '" + source.name +
                            "': the url is not a PostgreSQL URL (postgresql://user@host/database)");
  const Cancellation never;
  PgConnection connection;
  if (const auto failure = connection.connect(source.url, source.connect_timeout, never))
    return data_source_error(*failure, source.name);
  if (connection.superuser())
    return invalid_argument("data source '" + source.name +
                            "': the login role is a superuser, which is refused. Give it a role of "
                            "its own with the rights it needs");
  std::vector<std::string> lines;
  Lines sink(lines);
  const auto deadline = PgConnection::Clock::now() + kQueryTimeout;
  if (const auto failure =
          connection.query({"BEGIN READ ONLY"}, kLacksForWriting,
                           {quoted_tables(source.rules.tables)}, deadline, never, sink)) {
    connection.abandon();
    return data_source_error(*failure, source.name);
  }
  for (std::string& line : lines) line = "data source '" + source.name + "': " + line;
  return lines;
}

std::vector<std::string> warnings_about(const DataSourceConfig& source,
                                        const DataSourceFacts& facts) {
  std::vector<std::string> warnings;
  const std::string name = "data source '" + source.name + "': ";
  if (facts.superuser)
    warnings.push_back(name +
                       "the login role is a superuser; statements are refused. Give it a "
                       "role of its own with SELECT only");
  if (facts.server_major != kParserMajor)
    warnings.push_back(name + "the server is PostgreSQL " + std::to_string(facts.server_major) +
                       ", statements are checked by the grammar of PostgreSQL " +
                       std::to_string(kParserMajor) + ": newer syntax is refused");
  for (const std::string& right :
       facts.superuser ? std::vector<std::string>{} : facts.excess_rights)
    warnings.push_back(name + "the login role " + right);
  return warnings;
}

}  // namespace ba
