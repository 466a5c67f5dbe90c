// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/rights.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace ba::storage {
namespace {

struct TableRights {
  const char* table;
  const char* rights;  ///< letters: Select, Insert, Update, Delete
};

// What the statements of storage/ledger, cache and artifact do. config/SECURITY.md has the same as
// GRANTs; tests/postgres runs jobs with these, and leaves out each.
constexpr std::array kWorker{
    TableRights{"artifact_chunks", "SI"},
    TableRights{"artifact_references", "SID"},
    TableRights{"artifact_uploads", "SIUD"},
    TableRights{"artifacts", "SIUD"},
    TableRights{"attempts", "SIUD"},
    TableRights{"compressed_histories", "SID"},
    TableRights{"compressions", "SID"},
    TableRights{"refused_contexts", "SID"},
    TableRights{"exact_counts", "SID"},
    TableRights{"conversations", "SIU"},
    TableRights{"dead_letters", "SID"},
    TableRights{"ended_calls", "S"},
    TableRights{"ended_jobs", "S"},
    TableRights{"ended_replies", "S"},
    TableRights{"incarnation_marks", "SIUD"},
    TableRights{"incarnations", "SIU"},
    TableRights{"inherited_messages", "SD"},
    TableRights{"injected_messages", "SID"},
    TableRights{"installation", "S"},
    TableRights{"intake_offsets", "SIU"},
    TableRights{"intake_resets", "SI"},
    TableRights{"jobs", "SIUD"},
    TableRights{"messages", "S"},
    TableRights{"metrics", "SID"},
    TableRights{"outbox", "SIUD"},
    TableRights{"outbox_shards", "SIU"},
    TableRights{"redrives", "SD"},
    TableRights{"reminders", "SID"},
    TableRights{"removed_calls", "SIU"},
    TableRights{"removed_jobs", "SIU"},
    TableRights{"removed_replies", "SIU"},
    TableRights{"rounds", "SIUD"},
    TableRights{"schema_history", "S"},
    TableRights{"skill_contents", "SIUD"},
    TableRights{"skill_uses", "SIUD"},
    TableRights{"steps", "SID"},
    TableRights{"summaries", "SIUD"},
    TableRights{"tool_calls", "SIUD"},
    TableRights{"tool_flights", "SIUD"},
    TableRights{"tool_results", "SIUD"},
    TableRights{"wasted_model_calls", "SIUD"},
};

constexpr std::string_view name_of(char right) {
  switch (right) {
    case 'S':
      return "SELECT";
    case 'I':
      return "INSERT";
    case 'U':
      return "UPDATE";
    default:
      return "DELETE";
  }
}

// By oid: a name is looked up with rights that may be what is missing.
constexpr Statement kMissing{"missing_rights", R"sql(
  SELECT w.name, string_agg(w.privilege, ', ' ORDER BY w.n) AS privileges
  FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS w (name, privilege, n)
  JOIN pg_class c ON c.relname = w.name
  JOIN pg_namespace s ON s.oid = c.relnamespace AND s.nspname = $1
  WHERE NOT has_table_privilege(c.oid, w.privilege)
  GROUP BY w.name ORDER BY w.name)sql"};

constexpr Statement kSchema{"schema_rights", R"sql(
  SELECT has_schema_privilege(oid, 'USAGE') AS may_use,
         has_schema_privilege(oid, 'CREATE') AS may_create, pg_get_userbyid(nspowner) AS owner
  FROM pg_namespace WHERE nspname = $1)sql"};

constexpr Statement kDatabase{"database_rights", R"sql(
  SELECT has_database_privilege(current_database(), 'CREATE') AS may_create)sql"};

constexpr Statement kOwners{"owners", R"sql(
  SELECT DISTINCT pg_get_userbyid(c.relowner)::text AS owner
  FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace AND s.nspname = $1
  WHERE c.relkind IN ('r', 'v') AND NOT pg_has_role(c.relowner, 'USAGE') ORDER BY 1)sql"};

constexpr Statement kUser{"user", "SELECT current_user AS role, current_database() AS database"};

constexpr Statement kReadOnly{"read_only", R"sql(
  SELECT pg_is_in_recovery() AS standby,
         current_setting('transaction_read_only')::boolean AS read_only, source
  FROM pg_settings WHERE name = 'default_transaction_read_only')sql"};

constexpr Statement kFiltered{"filtered", R"sql(
  SELECT row_security_active(c.oid) AS filtered
  FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace AND s.nspname = $1
  WHERE c.relname = 'jobs')sql"};

constexpr Statement kTenants{
    "tenants", "SELECT array_to_string(tenants_read_by(current_user), ', ') AS tenants"};

/// Without quotes where none are needed.
std::string quoted(const Transaction& transaction, const std::string& name) {
  const bool plain = std::ranges::all_of(
      name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
  return plain && !name.empty() && name[0] > '9' ? name : transaction.quote_name(name);
}

struct Who {
  std::string role;
  std::string database;
};

Who who(Transaction& transaction) {
  const Row row = transaction.run(kUser).first();
  return {quoted(transaction, row.text("role")), quoted(transaction, row.text("database"))};
}

/// The first few, and how many more.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

std::string all_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Tables by what is missing on them.
std::map<std::string, std::vector<std::string>> missing(Transaction& transaction,
                                                        const std::string& schema) {
  TextArray tables;
  TextArray rights;
  for (const TableRights& table : kWorker)
    for (const char* right = table.rights; *right != '\0'; ++right) {
      tables.add(table.table);
      rights.add(name_of(*right));
    }
  std::map<std::string, std::vector<std::string>> groups;
  for (const Row& row : transaction.run(kMissing, schema, tables, rights))
    groups[row.text("privileges")].push_back(quoted(transaction, schema) + "." + row.text("name"));
  return groups;
}

Hindrance no_usage(const Transaction& transaction, const Who& who, const std::string& schema) {
  const std::string name = quoted(transaction, schema);
  return {"role " + who.role + " lacks USAGE on the schema " + name,
          "GRANT USAGE ON SCHEMA " + name + " TO " + who.role};
}

/// A role that is meant for the readers of some tenants sees no other's jobs.
std::optional<Hindrance> filtered(Transaction& transaction, const Who& who,
                                  const std::string& schema) {
  const auto active = transaction.run(kFiltered, schema);
  if (active.empty() || !active[0].flag("filtered")) return std::nullopt;
  if (transaction.run(kTenants).first().is_null("tenants")) return std::nullopt;
  const std::string table = quoted(transaction, schema) + ".tenant_readers";
  return Hindrance{"role " + who.role + " sees the rows of some tenants only: " + table +
                       " lists it, or a role that it is a member of",
                   "take it from " + table + ", or give another role"};
}

}  // namespace

std::optional<Hindrance> read_only_hindrance(Transaction& transaction) {
  const Row row = transaction.run(kReadOnly).first();
  if (row.flag("standby"))
    return Hindrance{"the server is a standby, which takes no writes",
                     "name the primary in postgres.url, or all servers with "
                     "target_session_attrs=read-write",
                     true};
  if (!row.flag("read_only")) return std::nullopt;
  const Who self = who(transaction);
  const std::string source = row.text("source");
  std::string remedy = "take default_transaction_read_only from postgres.url";
  if (source == "user") remedy = "ALTER ROLE " + self.role;
  if (source == "database") remedy = "ALTER DATABASE " + self.database;
  if (source == "database user")
    remedy = "ALTER ROLE " + self.role + " IN DATABASE " + self.database;
  if (remedy.starts_with("ALTER")) remedy += " RESET default_transaction_read_only";
  if (source == "configuration file" || source == "command line")
    remedy = "set default_transaction_read_only = off in the server's configuration";
  return Hindrance{"the database is read-only for role " + self.role +
                       ": default_transaction_read_only is on (" + source + ")",
                   remedy, true};
}

std::vector<Hindrance> worker_hindrances(Transaction& transaction, const std::string& schema) {
  const auto rights = transaction.run(kSchema, schema);
  if (rights.empty()) return {};
  const Who self = who(transaction);
  if (!rights[0].flag("may_use")) return {no_usage(transaction, self, schema)};
  std::vector<Hindrance> found;
  for (const auto& [privileges, tables] : missing(transaction, schema))
    found.push_back({"role " + self.role + " lacks " + privileges + " on " + some_of(tables),
                     "GRANT " + privileges + " ON " + all_of(tables) + " TO " + self.role});
  if (!found.empty()) return found;
  if (auto hindrance = filtered(transaction, self, schema)) found.push_back(*std::move(hindrance));
  return found;
}

std::optional<Hindrance> migration_hindrance(Transaction& transaction, const std::string& schema) {
  const Who self = who(transaction);
  const std::string name = quoted(transaction, schema);
  const auto rights = transaction.run(kSchema, schema);
  if (rights.empty()) {
    if (transaction.run(kDatabase).first().flag("may_create")) return std::nullopt;
    return Hindrance{"role " + self.role + " lacks CREATE on the database " + self.database +
                         ", where the schema " + name + " is to be made",
                     "GRANT CREATE ON DATABASE " + self.database + " TO " + self.role +
                         ", or CREATE SCHEMA " + name + " AUTHORIZATION " + self.role};
  }
  const std::string owner = quoted(transaction, rights[0].text("owner"));
  if (!rights[0].flag("may_use") || !rights[0].flag("may_create"))
    return Hindrance{"role " + self.role + " lacks USAGE and CREATE on the schema " + name +
                         ", which belongs to " + owner,
                     "migrate as " + owner + ", or GRANT " + owner + " TO " + self.role};
  const auto owners = transaction.run(kOwners, schema);
  if (owners.empty()) return std::nullopt;
  const std::string other = quoted(transaction, owners[0].text("owner"));
  return Hindrance{"tables of the schema " + name + " belong to " + other + ", not to role " +
                       self.role + ", which therefore can't change them",
                   "migrate as " + other + ", or GRANT " + other + " TO " + self.role};
}

std::optional<Hindrance> history_hindrance(Transaction& transaction, const std::string& schema) {
  const auto rights = transaction.run(kSchema, schema);
  if (rights.empty()) return std::nullopt;
  const Who self = who(transaction);
  if (!rights[0].flag("may_use")) return no_usage(transaction, self, schema);
  TextArray table;
  TextArray right;
  table.add("schema_history");
  right.add("SELECT");
  if (transaction.run(kMissing, schema, table, right).empty()) return std::nullopt;
  const std::string name = quoted(transaction, schema) + ".schema_history";
  return Hindrance{"role " + self.role + " lacks SELECT on " + name,
                   "GRANT SELECT ON " + name + " TO " + self.role};
}

Error to_error(const Hindrance& hindrance) {
  Error error;
  error.code = hindrance.may_pass ? ErrorCode::Unavailable : ErrorCode::PermissionDenied;
  error.retry = hindrance.may_pass ? Retry::Later : Retry::Never;
  error.message = "PostgreSQL: " + hindrance.message + ": " + hindrance.remedy;
  return error;
}

}  // namespace ba::storage
