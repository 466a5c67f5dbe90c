// SPDX-License-Identifier: Apache-2.0
// SqlDefinitions of sql_time_casts.hpp.

#include <string_view>

#include "worker/tools/sql/statement/sql_time_casts.hpp"
#include "worker/tools/sql/statement/sql_tree.hpp"

namespace ba::sql {
namespace {

using Json = nlohmann::json;

/// Functions that give rows of one column, which is called after them or their alias.
const std::set<std::string_view> kOneColumn{"generate_series", "generate_subscripts",
                                            "regexp_matches",  "regexp_split_to_table",
                                            "string_to_table", "unnest"};

/// What a column without a name of its own is called (PostgreSQL 15, FigureColname()).
constexpr const char* kUnnamed = "?column?";

bool is_union(const Json& body) {
  const Json* op = json_member(body, "op");
  return op && op->is_string() && op->get<std::string>().starts_with("SETOP_") &&
         *op != "SETOP_NONE";
}

/// The branches of a UNION, INTERSECT or EXCEPT, the first one first, however deep they are nested.
std::vector<const Json*> branches_of(const Json& body) {
  std::vector<const Json*> branches;
  std::vector<const Json*> open{&body};
  while (!open.empty()) {
    const Json& one = *open.back();
    open.pop_back();
    if (!is_union(one)) {
      branches.push_back(&one);
      continue;
    }
    for (const char* side : {"rarg", "larg"})
      if (const Json* inner = json_member(one, side)) open.push_back(inner);
  }
  return branches;
}

/// Of a List node; none of any other.
Json items_in(const Json& list_node) {
  const Json* list = json_member(list_node, "List");
  return list ? list->value("items", Json::array()) : Json::array();
}

/// Of a ResTarget's body; empty: it is a table's columns, or has another kind of name.
std::string name_of(const Json& target) {
  if (target.contains("name")) return target.value("name", "");
  const Json* value = json_member(target, "val");
  if (const Json* column = value ? json_member(*value, "ColumnRef") : nullptr)
    return last_name(column->value("fields", Json::array()));
  if (const Json* call = value ? json_member(*value, "FuncCall") : nullptr)
    return function_named(*call);
  const bool plain = value && (value->contains("A_Const") || value->contains("A_Expr"));
  return plain ? kUnnamed : "";
}

/// The name of each column of a branch; none: they are not known.
std::vector<std::string> names_of(const Json& branch) {
  std::vector<std::string> names;
  if (const Json* rows = json_member(branch, "valuesLists"); rows && !rows->empty()) {
    const Json items = items_in(rows->front());
    for (std::size_t i = 0; i < items.size(); ++i)
      names.push_back("column" + std::to_string(i + 1));
    return names;
  }
  for (const Json& target : branch.value("targetList", Json::array())) {
    const Json* body = json_member(target, "ResTarget");
    std::string name = body ? name_of(*body) : "";
    if (name.empty()) return {};
    names.push_back(std::move(name));
  }
  return names;
}

/// Whether all its columns are called after it.
bool one_column(const Json& functions) {
  for (const Json& one : functions) {
    const Json items = items_in(one);
    const Json* call = items.empty() ? nullptr : json_member(items.front(), "FuncCall");
    if (!call || !kOneColumn.contains(function_named(*call))) return false;
  }
  return true;
}

}  // namespace

const std::vector<const Json*>& SqlDefinitions::of(const std::string& name) const {
  static const std::vector<const Json*> kNone;
  const auto found = known_.find(name);
  return found == known_.end() ? kNone : found->second;
}

void SqlDefinitions::walk(const Json& value, bool in_union) {
  const bool united = is_union(value);
  if (united && !in_union) note_union(value);
  if (value.is_object())
    for (auto item = value.begin(); item != value.end(); ++item) {
      note(item.key(), *item, value);
      walk(*item, united && (item.key() == "larg" || item.key() == "rarg"));
    }
  if (value.is_array())
    for (const Json& inner : value) walk(inner, false);
}

void SqlDefinitions::note(const std::string& key, const Json& body, const Json& node) {
  if (key == "valuesLists") note_values(body);
  if (key == "ResTarget" && body.contains("val"))
    known_[body.value("name", kUnnamed)].push_back(&body["val"]);
  // What has no name is called after its function, its type or its kind.
  if (key == "FuncCall") known_[function_named(body)].push_back(&node);
  if (key == "TypeCast") known_[type_named(body)].push_back(&node);
  if (key == "CoalesceExpr") known_["coalesce"].push_back(&node);
  if (key == "CaseExpr") known_["case"].push_back(&node);
  if (key == "A_ArrayExpr" || key == "SubLink") known_["array"].push_back(&node);
  if (key == "A_Expr") known_["nullif"].push_back(&node);
  if (key == "MinMaxExpr") known_["greatest"].push_back(&node);
  if (key == "MinMaxExpr") known_["least"].push_back(&node);
  if (key == "RangeFunction") {
    const Json* functions = json_member(body, "functions");
    alias(body, functions);
    if (functions && !one_column(*functions)) any_.push_back(functions);
  }
  if (key == "RangeSubselect") alias(body, json_member(body, "subquery"));
  if (key == "RangeVar" || key == "JoinExpr") alias(body, nullptr);
  if (key == "CommonTableExpr")
    columns(body.value("aliascolnames", Json::array()), json_member(body, "ctequery"));
}

/// Rows of VALUES, whose columns are column1 and so on.
void SqlDefinitions::note_values(const Json& rows) {
  const Json items = rows.empty() ? Json::array() : items_in(rows.front());
  for (std::size_t i = 0; i < items.size(); ++i)
    known_["column" + std::to_string(i + 1)].push_back(&rows);
}

/// Its columns have the names of the first branch; the others are matched by position.
void SqlDefinitions::note_union(const Json& body) {
  const std::vector<const Json*> branches = branches_of(body);
  const std::vector<std::string> names = names_of(*branches.front());
  for (std::size_t i = 1; i < branches.size(); ++i) note_branch(*branches[i], names);
}

void SqlDefinitions::note_branch(const Json& branch, const std::vector<std::string>& names) {
  if (names.empty()) return any_.push_back(&branch);
  const Json* targets = json_member(branch, "targetList");
  const bool by_position =
      targets && targets->size() == names.size() && names_of(branch).size() == names.size();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Json* target = by_position ? json_member(targets->at(i), "ResTarget") : nullptr;
    const Json* value = target ? json_member(*target, "val") : nullptr;
    known_[names[i]].push_back(value ? value : &branch);
  }
}

void SqlDefinitions::alias(const Json& body, const Json* meant) {
  const Json* alias = json_member(body, "alias");
  if (!alias) return;
  if (meant) known_[alias->value("aliasname", "")].push_back(meant);
  columns(alias->value("colnames", Json::array()), meant);
}

void SqlDefinitions::columns(const Json& names, const Json* meant) {
  for (const Json& name : names) {
    const std::string column = name_in(name);
    if (meant)
      known_[column].push_back(meant);
    else
      renamed_.insert(column);
  }
}

bool is_select_body(const Json& value) {
  return value.is_object() &&
         (value.contains("targetList") || value.contains("valuesLists") || is_union(value));
}

std::string type_named(const Json& cast) {
  const Json* type = json_member(cast, "typeName");
  return type ? last_name(type->value("names", Json::array())) : "";
}

std::string function_named(const Json& call) {
  return last_name(call.value("funcname", Json::array()));
}

}  // namespace ba::sql
