// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/statement/sql_time_casts.hpp"

#include <utility>

#include "worker/tools/base/name_list.hpp"
#include "worker/tools/sql/statement/sql_tree.hpp"

namespace ba::sql {
namespace {

using Json = nlohmann::json;

/// Types whose input reads no word that means the time, and of which no date is made that could.
const tools::NameList kTimelessTypes = tools::name_list(
    "bit bool bytea cidr float4 float8 inet int2 int4 int8 integer interval json jsonb macaddr "
    "money numeric uuid varbit decimal bigint smallint real regclass regtype tsvector tsquery");
/// Casts to them read none, but a date may be made of them.
const tools::NameList kTextTypes{"bpchar", "char", "name", "text", "varchar", "xml"};
const tools::NameList kTimeTypes{"date", "time", "timetz", "timestamp", "timestamptz"};

/// Functions whose result is a text that their arguments spell.
const tools::NameList kTextFunctions = tools::name_list(
    "array_to_string btrim chr concat concat_ws convert_from encode format initcap "
    "json_array_elements_text json_each_text json_extract_path_text jsonb_array_elements_text "
    "jsonb_each_text jsonb_extract_path_text left lower lpad ltrim overlay quote_ident "
    "quote_literal regexp_match regexp_matches regexp_replace regexp_split_to_array "
    "regexp_split_to_table regexp_substr repeat replace reverse right rpad rtrim split_part "
    "string_agg string_to_array string_to_table substr substring to_char translate upper");

/// Functions that take texts and give none, nor read a word in them.
const tools::NameList kTextlessFunctions = tools::name_list(
    "count date_bin date_part date_trunc extract length make_date make_timestamp strpos "
    "make_timestamptz to_date to_number to_timestamp");

/// Follows what is cast to where its text may come from.
class Sources {
 public:
  Sources(const SqlDefinitions& definitions, SqlTimeCasts& found)
      : definitions_(definitions), found_(found) {}

  void of_cast(const std::string& type, const Json& value) {
    if (kTimelessTypes.contains(type) || kTextTypes.contains(type)) return;
    type_ = type;
    follow(value);
    while (!pending_.empty()) {  // no recursion: a statement can define thousands, each by the next
      const std::string name = std::move(pending_.back());
      pending_.pop_back();
      const std::vector<const Json*>& meanings = definitions_.of(name);
      if (meanings.empty()) found_.outside.insert(name);
      for (const Json* meant : meanings) follow(*meant);
      if (!std::exchange(followed_any_, true))
        for (const Json* meant : definitions_.of_any_name()) follow(*meant);
    }
  }

 private:
  void follow(const Json& value) {
    if (is_select_body(value)) return select(value);
    if (value.is_object())
      for (auto item = value.begin(); item != value.end(); ++item) node(item.key(), *item);
    if (value.is_array())
      for (const Json& inner : value) follow(inner);
  }

  void follow(const Json& body, std::initializer_list<const char*> members) {
    for (const char* name : members)
      if (const Json* inner = json_member(body, name)) follow(*inner);
  }

  void node(const std::string& name, const Json& body) {
    if (name == "ColumnRef") return column(last_name(body.value("fields", Json::array())));
    if (name == "FuncCall") return call(body);
    if (name == "A_Expr") return expression(body);
    if (name == "TypeCast") return cast(body);
    if (name == "SubLink") return sub_select(body);
    if (name == "A_Indirection") return indirection(body);
    if (name == "CaseExpr") return follow(body, {"args", "defresult"});
    if (name == "CaseWhen") return follow(body, {"result"});
    if (name == "A_Const" || name == "BoolExpr" || name == "NullTest") return;
    follow(body);
  }

  void column(const std::string& name) {
    if (name.empty() || definitions_.renamed(name)) return unknown();
    if (found_.columns.insert(name).second) pending_.push_back(name);
  }

  /// A field of a row, an element of an array.
  void indirection(const Json& body) {
    for (const Json& step : body.value("indirection", Json::array()))
      if (step.contains("String")) column(name_in(step));
    follow(body, {"arg"});
  }

  void call(const Json& body) {
    const std::string name = function_named(body);
    if (kTextFunctions.contains(name)) return spelled();
    if (!kTextlessFunctions.contains(name) && !kTimeTypes.contains(name))
      follow(body, {"args", "agg_order"});
  }

  void expression(const Json& body) {
    const std::string op = last_name(body.value("name", Json::array()));
    if (op == "||" || op == "->>" || op == "#>>" || op == "->") return spelled();
    if (body.value("kind", "") == "AEXPR_NULLIF") follow(body, {"lexpr"});
  }

  void cast(const Json& body) {
    const std::string type = type_named(body);
    if (!kTimeTypes.contains(type) && !kTimelessTypes.contains(type)) follow(body, {"arg"});
  }

  void sub_select(const Json& body) {
    const std::string kind = body.value("subLinkType", "");
    if (kind == "EXPR_SUBLINK" || kind == "ARRAY_SUBLINK") follow(body, {"subselect"});
  }

  void select(const Json& body) {
    follow(body, {"targetList", "valuesLists"});
    for (const char* side : {"larg", "rarg"})
      if (const Json* inner = json_member(body, side)) select(*inner);
  }

  void spelled() {
    if (found_.reason) return;
    found_.reason = "a text that is put together becomes a " + type_ + ", and can mean the time";
  }
  void unknown() {
    if (found_.reason) return;
    found_.reason = "what becomes a " + type_ + " may be a text, and can mean the time";
  }

  const SqlDefinitions& definitions_;
  SqlTimeCasts& found_;
  std::string type_;                  ///< that it is cast to
  std::vector<std::string> pending_;  ///< columns whose definitions are still to be followed
  bool followed_any_ = false;         ///< what may stand for any of them was followed
};

void look_for_casts(const Json& value, Sources& sources) {
  if (value.is_object()) {
    if (const Json* cast = json_member(value, "TypeCast"); cast && cast->contains("arg"))
      sources.of_cast(type_named(*cast), cast->at("arg"));
    if (const Json* call = json_member(value, "FuncCall"); call && call->contains("args"))
      if (const std::string name = function_named(*call); kTimeTypes.contains(name))
        sources.of_cast(name, call->at("args"));
  }
  if (value.is_structured())
    for (const Json& inner : value) look_for_casts(inner, sources);
}

}  // namespace

SqlTimeCasts time_casts(const Json& body) {
  SqlTimeCasts found;
  const SqlDefinitions definitions(body);
  Sources sources(definitions, found);
  look_for_casts(body, sources);
  return found;
}

}  // namespace ba::sql
