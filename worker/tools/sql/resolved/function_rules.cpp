// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/resolved/function_rules.hpp"

#include <algorithm>
#include <string_view>

#include "worker/tools/sql/statement/sql_rules.hpp"

namespace ba {
namespace {

using Names = std::set<std::string_view>;

/// Volatile functions of PostgreSQL that do nothing but give another value each time.
const Names kHarmlessVolatile{"array_sample",    "array_shuffle", "clock_timestamp",
                              "gen_random_uuid", "random",        "random_normal",
                              "timeofday",       "uuidv4",        "uuidv7"};

/// Stable functions of PostgreSQL whose result depends on more than data and settings: the time,
/// the transaction, the session.
const Names kOfTheMoment{"current_database",
                         "current_schema",
                         "current_schemas",
                         "current_setting",
                         "mxid_age",
                         "now",
                         "row_security_active",
                         "statement_timestamp",
                         "transaction_timestamp",
                         "txid_current",
                         "txid_current_if_assigned",
                         "txid_current_snapshot",
                         "version"};

/// timezone() of a time without a date: it takes the offset of today.
const std::set<Oid32> kOffsetOfToday{2037, 2038, 6336};

/// Read values from a text or a document, among which may be the time.
const Names kReadValues{"populate_record",
                        "json_populate_record",
                        "json_populate_recordset",
                        "json_to_record",
                        "json_to_recordset",
                        "jsonb_populate_record",
                        "jsonb_populate_record_valid",
                        "jsonb_populate_recordset",
                        "jsonb_to_record",
                        "jsonb_to_recordset"};

/// What not even the owner of a view may show by it: other sessions, and texts run as queries.
constexpr std::string_view kNeverPrefixes[]{
    "pg_stat_get_", "pg_cursor",    "pg_prepared_",    "pg_lock",       "pg_ls_",
    "pg_read_",     "query_to_xml", "cursor_to_xml",   "table_to_xml",  "schema_to_xml",
    "dblink",       "ts_stat",      "database_to_xml", "pg_listening_", "pg_get_replication_slots",
    "pg_hba_",      "pg_ident_",    "pg_show_all_"};

bool starts_with_any(std::string_view name, const auto& prefixes) {
  return std::ranges::any_of(prefixes, [name](auto prefix) { return name.starts_with(prefix); });
}

/// Read and write a type's values by the type's number: `domain_in` runs the checks of any domain.
bool is_form_of_type(std::string_view name) {
  return name.ends_with("_in") || name.ends_with("_recv") || name.ends_with("_send") ||
         name.ends_with("_out");
}

FunctionStanding of_system(Oid32 oid, const FunctionFact& fact, WrittenBy by) {
  if (fact.volatility == 'v')
    return kHarmlessVolatile.contains(fact.name) ? FunctionStanding::NotKept
                                                 : FunctionStanding::Changes;
  if (starts_with_any(fact.name, kNeverPrefixes) || fact.name.ends_with("_validator"))
    return FunctionStanding::Outside;
  const bool authors = by == WrittenBy::Author;
  if (authors && fact.schema == "pg_catalog" && refusal_of_function(fact.name))
    return FunctionStanding::Outside;
  if (fact.volatility == 'i')
    return kOffsetOfToday.contains(oid) ? FunctionStanding::NotKept : FunctionStanding::Kept;
  if (authors && is_form_of_type(fact.name)) return FunctionStanding::Outside;
  const bool moment = kOfTheMoment.contains(fact.name) || fact.name.starts_with("to_reg") ||
                      kReadValues.contains(fact.name) || fact.name == "age" ||
                      kOffsetOfToday.contains(oid) || refusal_of_function(fact.name);
  return moment ? FunctionStanding::NotKept : FunctionStanding::Kept;
}

FunctionStanding of_user(const FunctionFact& fact, const std::set<std::string>& allowed) {
  if (allowed.contains(fact.qualified())) return FunctionStanding::NotKept;
  if (fact.aggregate) return FunctionStanding::Kept;  // its transitions are judged by themselves
  if (fact.volatility == 'v') return FunctionStanding::Changes;
  if (starts_with_any(fact.name, kNeverPrefixes) || refusal_of_function(fact.name))
    return FunctionStanding::Outside;
  const bool native = fact.language == "c" || fact.language == "internal";
  if (!native && !fact.has_body) return FunctionStanding::Unseen;
  return fact.volatility == 'i' && !kReadValues.contains(fact.name) ? FunctionStanding::Kept
                                                                    : FunctionStanding::NotKept;
}

}  // namespace

FunctionStanding standing_of(Oid32 oid, const FunctionFact& fact, WrittenBy by,
                             const std::set<std::string>& allowed) {
  return oid < kFirstUserOid ? of_system(oid, fact, by) : of_user(fact, allowed);
}

}  // namespace ba
