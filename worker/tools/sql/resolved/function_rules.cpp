// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/resolved/function_rules.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "worker/tools/base/name_list.hpp"
#include "worker/tools/sql/statement/sql_rules.hpp"
#include "worker/tools/sql/statement/sql_tree.hpp"

namespace ba::sql {
namespace {

using Json = nlohmann::json;
using Places = std::map<std::size_t, std::size_t>;

/// Volatile functions of PostgreSQL that do nothing but give another value each time.
const tools::NameList kHarmlessVolatile{"array_sample",    "array_shuffle", "clock_timestamp",
                                        "gen_random_uuid", "random",        "random_normal",
                                        "timeofday",       "uuidv4",        "uuidv7"};

/// Stable functions of PostgreSQL whose result depends on more than data and settings: the time,
/// the transaction, the session.
const tools::NameList kOfTheMoment = tools::name_list(
    "current_database current_schema current_schemas current_setting mxid_age now "
    "row_security_active statement_timestamp transaction_timestamp txid_current "
    "txid_current_if_assigned txid_current_snapshot version");

/// timezone() of a time without a date: it takes the offset of today.
const std::set<Oid32> kOffsetOfToday{2037, 2038, 6336};

/// Read values from a text or a document, among which may be the time.
const tools::NameList kReadValues = tools::name_list(
    "populate_record json_populate_record json_populate_recordset json_to_record "
    "json_to_recordset jsonb_populate_record jsonb_populate_record_valid "
    "jsonb_populate_recordset jsonb_to_record jsonb_to_recordset");

/// What not even the owner of a view may show by it: other sessions, and texts run as queries.
const tools::NameList kNeverPrefixes = tools::name_list(
    "pg_stat_get_ pg_cursor pg_prepared_ pg_lock pg_ls_ pg_read_ query_to_xml cursor_to_xml "
    "table_to_xml schema_to_xml dblink ts_stat database_to_xml pg_listening_ "
    "pg_get_replication_slots pg_hba_ pg_ident_ pg_show_all_");

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

/// Where an argument is named: the place in the text, and the argument's number from 1.

class Arguments {
 public:
  Arguments(const std::string& function, const std::vector<std::string>& names)
      : function_(function), names_(names) {}

  void walk(const Json& value) {
    if (value.is_object())
      for (auto item = value.begin(); item != value.end(); ++item) {
        if (item.key() == "ColumnRef") note(*item);
        walk(*item);
      }
    else if (value.is_array())
      for (const Json& item : value) walk(item);
  }

  const Places& places() const { return places_; }
  const std::set<std::string>& replaced() const { return replaced_; }

 private:
  /// `name`, or `function.name`.
  void note(const Json& column) {
    const Json fields = column.value("fields", Json::array());
    if (fields.empty() || fields.size() > 2) return;
    if (fields.size() == 2 && name_in(fields[0]) != function_) return;
    const std::string name = name_in(fields.back());
    const auto found = std::ranges::find(names_, name);
    if (name.empty() || found == names_.end()) return;
    places_[column.value("location", std::size_t{0})] =
        static_cast<std::size_t>(found - names_.begin()) + 1;
    replaced_.insert(fields.size() == 2 ? function_ : name);
  }

  const std::string& function_;
  const std::vector<std::string>& names_;
  Places places_;
  std::set<std::string> replaced_;
};

/// The end of the name, with its dots, that begins at a place.
std::size_t end_of_name(const std::string& text, std::size_t at) {
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c == '"') quoted = !quoted;
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '.' || c == '"' ||
                        c >= 0x80;
    if (!quoted && !letter) break;
  }
  return at;
}

}  // namespace

FunctionStanding standing_of(Oid32 oid, const FunctionFact& fact, WrittenBy by,
                             const std::set<std::string>& allowed) {
  return oid < kFirstUserOid ? of_system(oid, fact, by) : of_user(fact, allowed);
}

std::optional<std::string> body_as_statement(const std::string& body, const std::string& function,
                                             const std::vector<std::string>& names,
                                             std::set<std::string>* replaced) {
  const Result<SqlStatement> statement = parse_statement(body, {});
  if (!statement || statement->node != "SelectStmt") return std::nullopt;
  Arguments arguments(function, names);
  arguments.walk(statement->body);
  if (replaced) *replaced = arguments.replaced();
  std::string text;
  std::size_t from = 0;
  for (const auto& [place, number] : arguments.places()) {
    if (place < from || place >= body.size()) return std::nullopt;
    text += body.substr(from, place - from) + "$" + std::to_string(number);
    from = end_of_name(body, place);
  }
  return text + body.substr(from);
}

bool may_mean_columns(const std::set<std::string>& names, std::string_view tree) {
  // The server breaks lines anywhere between words.
  const auto blank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
  std::string words;
  for (const char c : tree)
    if (!blank(c))
      words += c;
    else if (words.empty() || words.back() != ' ')
      words += ' ';
  words += ' ';
  return std::ranges::any_of(names, [&words](const std::string& name) {
    const bool plain = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == name.npos;
    return !plain || words.find("\"" + name + "\"") != words.npos ||
           words.find(":aliasname " + name + " ") != words.npos;
  });
}

}  // namespace ba::sql
