#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a session at a data source sets before a statement of a model runs in it. On a connection of
// our own most of it is set once; behind a pool of connections (PgBouncer in transaction mode)
// everything goes with its transaction, so that nothing is left to whom the pool gives the
// connection next. Where the operator's role has stricter limits, those stay. Values; any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/base/time.hpp"
#include "pipeline/core/tool/tool.hpp"
#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/connection/source_tenancy.hpp"

namespace ba::sql {

/// Questions of our own are asked under this path, so that no object of a user takes part in them.
inline constexpr const char* kCatalogPath = "SET LOCAL search_path = pg_catalog, pg_temp";

/// What a session starts with, as the server says it.
struct SessionFacts {
  bool pooled = false;
  std::int64_t statement_timeout_ms = 0;  ///< the role's own; 0: none
  std::int64_t lock_timeout_ms = 0;
  std::int64_t idle_timeout_ms = 0;
};

/// Asked with each new connection.
std::optional<SqlFailure> ask_session_facts(PgConnection& connection, const SqlWait& until,
                                            SessionFacts& facts);

/// The shorter of two limits in milliseconds, where 0 is none.
std::int64_t stricter(std::int64_t limit_ms, std::int64_t other_ms);

class SessionSettings {
 public:
  void set(std::string name, std::string value) {
    values_.emplace_back(std::move(name), std::move(value));
  }

  /// "SET a = 'x'; SET …", for the life of the session.
  std::string script() const;

  /// SET LOCAL messages, for one transaction.
  std::vector<PgConnection::Message> local() const;

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

/// Readable values, and the time limits (as PostgreSQL names them).
SessionSettings common_settings(const SessionFacts& facts, Milliseconds statement_timeout,
                                Milliseconds lock_timeout, Milliseconds idle_timeout);

/// Messages that make the open transaction the tenant's: its settings, and its role.
std::vector<PgConnection::Message> tenant_messages(const SourceTenancy& tenancy,
                                                   const std::string& tenant);

/// Of a call of a tenant that the source is not for; SOURCE_NOT_ALLOWED.
ToolError source_not_allowed(const std::string& source);

/// 'it''s', "a ""name""": for statements of our own.
std::string sql_literal(const std::string& text);
std::string sql_identifier(const std::string& name);

/// "name" or "schema.name" as it is configured: quoted, and of the schema public without one.
std::string sql_table(const std::string& table);

}  // namespace ba::sql
