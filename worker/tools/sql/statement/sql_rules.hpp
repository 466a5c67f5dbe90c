#pragma once
// SPDX-License-Identifier: Apache-2.0
// The SQL guard's lists: what may stand in a statement, and how what may not is called. Data only;
// names of nodes and fields are those of libpg_query 15. Any thread.

#include <optional>
#include <string>
#include <string_view>

namespace ba::sql {

bool is_allowed_node(std::string_view node);
bool is_allowed_field(std::string_view field);
/// What a statement that writes may have beside these.
bool is_allowed_node_of_writes(std::string_view node);
bool is_allowed_field_of_writes(std::string_view field);
bool is_allowed_explain_option(std::string_view option);

/// A refused node or field as a reader of SQL knows it: "INSERT", "FOR UPDATE".
std::string sql_name(std::string_view node_or_field);

/// Why a function must not be called, by its name without a schema, in lower case; none when
/// nothing is known against it.
std::optional<std::string> refusal_of_function(std::string_view name);

/// Whether a name behind a dot is taken for a call of a function of PostgreSQL that is refused,
/// since no column is called so.
bool is_name_of_call(std::string_view name);

/// Whether values of this type name roles or what they may do.
bool tells_of_roles(std::string_view type);

/// The table of idempotency keys in a database that `database_write` writes to, in schema public;
/// config/effects_table.sql creates it.
inline constexpr std::string_view kEffectsTable = "ba_effects";

/// Whether a table of this name, in whatever schema, is one that a tool keeps for itself.
bool is_own_table(std::string_view table);

/// Whether a table of this name is part of the system catalog; without a schema it is taken for one
/// of pg_catalog where it looks like that.
bool is_system_table(std::string_view schema, std::string_view table);

/// Which of these may be read: names, columns and kinds of what users made. Left out are rights,
/// settings, texts of functions, statistics of values, other sessions.
bool is_readable_system_table(std::string_view schema, std::string_view table);

}  // namespace ba::sql
