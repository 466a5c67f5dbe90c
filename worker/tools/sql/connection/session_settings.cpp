// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/connection/session_settings.hpp"

#include <algorithm>
#include <cstdlib>

#include "worker/tools/sql/connection/row_json.hpp"

namespace ba::sql {
namespace {

constexpr const char* kFacts = R"sql(
SELECT pg_catalog.pg_backend_pid(),
       pg_catalog.date_part('epoch', pg_catalog.current_setting('statement_timeout')
                                     ::pg_catalog.interval) * 1000,
       pg_catalog.date_part('epoch', pg_catalog.current_setting('lock_timeout')
                                     ::pg_catalog.interval) * 1000,
       pg_catalog.date_part('epoch',
                            pg_catalog.current_setting('idle_in_transaction_session_timeout')
                            ::pg_catalog.interval) * 1000)sql";

class FactsRow final : public RowSink {
 public:
  bool row(const Row& row) override {
    for (const auto& value : row)
      numbers.push_back(std::strtod(std::string(value.value_or("0")).c_str(), nullptr));
    return true;
  }

  std::vector<double> numbers;
};

std::string doubled(const std::string& text, char quote) {
  std::string quoted(1, quote);
  for (const char c : text) quoted += c == quote ? std::string(2, quote) : std::string(1, c);
  return quoted + quote;
}

/// By a statement: roles that only read are often not allowed to call set_config().
PgConnection::Message setting(const std::string& name, const std::string& value) {
  const std::size_t dot = name.find('.');
  std::string quoted = sql_identifier(name.substr(0, dot));
  if (dot != std::string::npos) quoted += "." + sql_identifier(name.substr(dot + 1));
  PgConnection::Message message = query_message("SET LOCAL " + quoted + " = " + sql_literal(value));
  message.setting = name;
  return message;
}

PgConnection::Message role(const std::string& name) {
  PgConnection::Message message = query_message("SET LOCAL ROLE " + sql_identifier(name));
  message.role = name;
  return message;
}

}  // namespace

std::optional<SqlFailure> ask_session_facts(PgConnection& connection, const SqlWait& until,
                                            SessionFacts& facts) {
  FactsRow row;
  if (auto failure = connection.query({"BEGIN READ ONLY", kCatalogPath}, kFacts, {}, until, row))
    return failure;
  if (row.numbers.size() != 4) {
    SqlFailure lost;
    lost.kind = SqlFailure::Kind::Lost;
    return lost;
  }
  facts.pooled = connection.pooled(static_cast<int>(row.numbers[0]));
  facts.statement_timeout_ms = static_cast<std::int64_t>(row.numbers[1]);
  facts.lock_timeout_ms = static_cast<std::int64_t>(row.numbers[2]);
  facts.idle_timeout_ms = static_cast<std::int64_t>(row.numbers[3]);
  return std::nullopt;
}

std::int64_t stricter(std::int64_t limit_ms, std::int64_t other_ms) {
  if (limit_ms <= 0 || other_ms <= 0) return std::max(limit_ms, other_ms);
  return std::min(limit_ms, other_ms);
}

std::string SessionSettings::script() const {
  std::string script;
  for (const auto& [name, value] : values_)
    script += (script.empty() ? "SET " : "; SET ") + name + " = " + value;
  return script;
}

std::vector<PgConnection::Message> SessionSettings::local() const {
  std::vector<PgConnection::Message> messages;
  for (const auto& [name, value] : values_)
    messages.push_back(
        {PgConnection::Message::Kind::Query, {}, "SET LOCAL " + name + " = " + value, {}});
  return messages;
}

SessionSettings common_settings(const SessionFacts& facts, Milliseconds statement_timeout,
                                Milliseconds lock_timeout, Milliseconds idle_timeout) {
  SessionSettings settings;
  const auto limit = [&settings](const char* name, Milliseconds ours, std::int64_t own) {
    settings.set(name, std::to_string(stricter(ours.count(), own)));
  };
  limit("statement_timeout", statement_timeout, facts.statement_timeout_ms);
  limit("lock_timeout", lock_timeout, facts.lock_timeout_ms);
  limit("idle_in_transaction_session_timeout", idle_timeout, facts.idle_timeout_ms);
  for (const auto& [name, value] : kReadableSettings) settings.set(name, sql_literal(value));
  return settings;
}

std::vector<PgConnection::Message> tenant_messages(const SourceTenancy& tenancy,
                                                   const std::string& tenant) {
  std::vector<PgConnection::Message> messages;
  const auto own = tenancy.tenants.find(tenant);
  if (!tenancy.tenant_setting.empty()) messages.push_back(setting(tenancy.tenant_setting, tenant));
  if (own == tenancy.tenants.end()) return messages;
  for (const auto& [name, value] : own->second.settings) messages.push_back(setting(name, value));
  if (!own->second.role.empty()) messages.push_back(role(own->second.role));
  return messages;
}

ToolError source_not_allowed(const std::string& source) {
  return {ToolErrorType::PermissionDenied, "SOURCE_NOT_ALLOWED",
          "The data source '" + source + "' is not for this tenant's jobs"};
}

std::string sql_literal(const std::string& text) { return doubled(text, '\''); }
std::string sql_identifier(const std::string& name) { return doubled(name, '"'); }

std::string sql_table(const std::string& table) {
  const std::size_t dot = table.find('.');
  if (dot == std::string::npos) return "public." + sql_identifier(table);
  return sql_identifier(table.substr(0, dot)) + "." + sql_identifier(table.substr(dot + 1));
}

}  // namespace ba::sql
