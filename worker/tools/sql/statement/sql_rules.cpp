// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/statement/sql_rules.hpp"

#include <algorithm>
#include <map>

#include "worker/tools/base/name_list.hpp"

namespace ba::sql {
namespace {

const tools::NameList kNodes = tools::name_list(
    "A_ArrayExpr A_Const A_Expr A_Indices A_Indirection A_Star BitString BoolExpr Boolean "
    "BooleanTest CaseExpr CaseWhen CoalesceExpr CollateClause ColumnDef ColumnRef "
    "CommonTableExpr Float FuncCall GroupingFunc GroupingSet Integer JoinExpr List MinMaxExpr "
    "NamedArgExpr NullTest RangeFunction RangeSubselect RangeTableFunc RangeTableFuncCol "
    "RangeTableSample RangeVar ResTarget RowExpr SQLValueFunction SelectStmt SortBy String "
    "SubLink TypeCast WindowDef XmlExpr XmlSerialize");

/// Not here, so refused: intoClause, lockingClause, and what a column definition can hold beside
/// a name, a type and a collation.
const tools::NameList kFields = tools::name_list(
    "agg_distinct agg_filter agg_order agg_star agg_within_group alias aliascolnames aliasname "
    "all arg arg_names argisrow argnumber args arrayBounds boolop booltesttype boolval bsval "
    "catalogname coldefexpr coldeflist colexpr collClause collname colname colnames columns "
    "content ctematerialized ctename ctequery ctes cycle_clause cycle_col_list cycle_mark_column "
    "cycle_mark_default cycle_mark_value cycle_path_column defresult distinctClause docexpr "
    "elements endOffset expr fields for_ordinality frameOptions fromClause func_variadic "
    "funcformat funcname functions fval groupClause groupDistinct havingClause indirection inh "
    "isNatural is_local is_not_null is_rowsfrom is_slice isnull items ival join_using_alias "
    "jointype kind larg lateral lexpr lidx limitCount limitOffset limitOption location method "
    "minmaxtype name named_args names namespaces node nulltesttype op operName orderClause "
    "ordinality over partitionClause quals rarg recursive refname relation relname "
    "relpersistence repeatable result rexpr row_format rowexpr schemaname search_breadth_first "
    "search_clause search_col_list search_seq_column setof sortClause sortby_dir sortby_nulls "
    "startOffset subLinkType subquery subselect sval targetList testexpr type typeName typemod "
    "typmod typmods uidx useOp usingClause val valuesLists whereClause windowClause withClause "
    "xmloption");

/// DEFAULT, (a, b) = (…), and the columns of ON CONFLICT.
const tools::NameList kNodesOfWrites{"IndexElem", "MultiAssignRef", "SetToDefault"};
const tools::NameList kFieldsOfWrites{"action",         "colno",    "conname",
                                      "indexElems",     "infer",    "ncolumns",
                                      "nulls_ordering", "ordering", "source"};

const tools::NameList kExplainOptions =
    tools::name_list("analyze buffers costs format summary timing verbose");

const std::map<std::string_view, std::string_view> kSqlNames{
    {"intoClause", "SELECT INTO"},
    {"lockingClause", "FOR UPDATE / FOR SHARE"},
    {"LockingClause", "FOR UPDATE / FOR SHARE"},
    {"VariableSetStmt", "SET"},
    {"VariableShowStmt", "SHOW"},
    {"TransactionStmt", "BEGIN / COMMIT / ROLLBACK"},
    {"CreateTableAsStmt", "CREATE TABLE AS"},
    {"CreateStmt", "CREATE TABLE"},
    {"ViewStmt", "CREATE VIEW"},
    {"IndexStmt", "CREATE INDEX"},
    {"DeclareCursorStmt", "DECLARE CURSOR"},
    {"ParamRef", "A parameter such as $1"},
    {"SetToDefault", "DEFAULT"},
    {"XmlExpr", "An XML expression"},
    {"RangeTableFunc", "XMLTABLE"},
    {"RangeTableSample", "TABLESAMPLE"},
    {"CurrentOfExpr", "CURRENT OF"},
    {"constraints", "A constraint"}};

/// Volatile or outward-looking functions of PostgreSQL 15 and its usual extensions, beside those
/// that a prefix below covers (from pg_proc.provolatile, and what runs a text as a query).
const tools::NameList kFunctions = tools::name_list(
    "amvalidate brinhandler bthandler connectby crosstab crosstab2 crosstab3 crosstab4 crosstabn "
    "current_query current_role current_setting current_user currtid2 currval get_raw_page "
    "getpgusername ginhandler gisthandler hashhandler heap_tableam_handler inet_client_addr "
    "inet_client_port inet_server_addr inet_server_port isn_weak lastval loread lowrite "
    "makeaclitem nextval normal_rand satisfies_hash_partition session_user system_user "
    "set_config setseed setval shobj_description spghandler suppress_redundant_updates_trigger "
    "to_regrole ts_rewrite ts_stat tsvector_update_trigger tsvector_update_trigger_column "
    "unique_key_recheck user xpath_table");

const tools::NameList kFunctionPrefixes = tools::name_list(
    "pg_ lo_ binary_upgrade_ brin_ currtid dblink gin_ ri_fkey_ txid_ dsnowball_ plpgsql_ fmgr_ "
    "postgres_fdw_ uuid_generate_ http query_to_ table_to_xml schema_to_xml database_to_xml "
    "cursor_to_xml acl");

const tools::NameList kHarmless{"pg_collation_for",    "pg_column_size",     "pg_get_constraintdef",
                                "pg_get_indexdef",     "pg_size_bytes",      "pg_size_pretty",
                                "pg_table_is_visible", "pg_type_is_visible", "pg_typeof"};

/// Families of functions that no table has columns named after.
const tools::NameList kCallPrefixes = tools::name_list(
    "pg_advisory_ pg_cancel_backend pg_export_ pg_get_ pg_ls_ pg_notify pg_read_ pg_reload_ "
    "pg_rotate_ pg_sleep pg_stat_get_ pg_stat_reset pg_switch_ pg_terminate_backend "
    "pg_try_advisory_ pg_current_ pg_stat_file pg_show_ lo_create lo_creat lo_from_ lo_export "
    "lo_import lo_unlink query_to_xml");
const tools::NameList kCalls{"current_setting", "currval",    "lastval",
                             "nextval",         "set_config", "setval"};

const tools::NameList kReadableCatalogs = tools::name_list(
    "pg_am pg_attribute pg_class pg_collation pg_constraint pg_description pg_enum pg_index "
    "pg_inherits pg_namespace pg_partitioned_table pg_range pg_type");
const tools::NameList kReadableInformation = tools::name_list(
    "columns constraint_column_usage domains key_column_usage referential_constraints schemata "
    "table_constraints tables views");

}  // namespace

bool is_allowed_node(std::string_view node) { return kNodes.contains(node); }
bool is_allowed_field(std::string_view field) { return kFields.contains(field); }
bool is_allowed_node_of_writes(std::string_view node) { return kNodesOfWrites.contains(node); }
bool is_allowed_field_of_writes(std::string_view field) { return kFieldsOfWrites.contains(field); }
bool is_allowed_explain_option(std::string_view option) { return kExplainOptions.contains(option); }

std::string sql_name(std::string_view name) {
  if (const auto known = kSqlNames.find(name); known != kSqlNames.end())
    return std::string(known->second);
  if (!name.ends_with("Stmt")) return std::string(name);
  std::string words;  // "DropStmt" → "DROP", "AlterTableStmt" → "ALTER TABLE"
  for (const char c : name.substr(0, name.size() - 4)) {
    const bool capital = c >= 'A' && c <= 'Z';
    if (capital && !words.empty()) words += ' ';
    words += capital || c < 'a' || c > 'z' ? c : static_cast<char>(c - 'a' + 'A');
  }
  return words;
}

std::optional<std::string> refusal_of_function(std::string_view name) {
  if (kHarmless.contains(name)) return std::nullopt;
  const bool refused =
      kFunctions.contains(name) || (name.starts_with("has_") && name.ends_with("_privilege")) ||
      std::ranges::any_of(kFunctionPrefixes, [&](auto prefix) { return name.starts_with(prefix); });
  if (!refused) return std::nullopt;
  return "The function " + std::string(name) +
         "() is not allowed: it changes from call to call, has side effects, or looks outside "
         "the tables. For the time use now() or current_date";
}

bool tells_of_roles(std::string_view type) {
  while (type.starts_with('_')) type.remove_prefix(1);  // the array of it
  return type == "regrole" || type == "aclitem";
}

bool is_own_table(std::string_view table) { return table == kEffectsTable; }

bool is_name_of_call(std::string_view name) {
  return kCalls.contains(name) || std::ranges::any_of(kCallPrefixes, [name](auto prefix) {
           return name.starts_with(prefix);
         });
}

bool is_system_table(std::string_view schema, std::string_view table) {
  if (schema.empty()) return table.starts_with("pg_");
  return schema == "information_schema" || schema.starts_with("pg_");
}

bool is_readable_system_table(std::string_view schema, std::string_view table) {
  if (schema == "information_schema") return kReadableInformation.contains(table);
  return (schema.empty() || schema == "pg_catalog") && kReadableCatalogs.contains(table);
}

}  // namespace ba::sql
