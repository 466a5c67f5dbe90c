// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/resolved/statement_verdict.hpp"

#include <map>
#include <utility>

#include "pipeline/base/joined.hpp"
#include "worker/tools/sql/resolved/function_rules.hpp"
#include "worker/tools/sql/resolved/node_dump.hpp"
#include "worker/tools/sql/statement/sql_rules.hpp"

namespace ba::sql {
namespace {

std::string called(const FunctionFact& fact) {
  const bool plain = fact.schema == "pg_catalog" || fact.schema == "public";
  return (plain ? fact.name : fact.qualified()) + "()";
}

Refusal refusal_of_functions(const StatementVerdict& verdict, const JudgeRules& rules) {
  std::map<FunctionStanding, std::set<std::string>> refused;
  for (const auto& [oid, by] : verdict.resolved.functions) {
    const auto fact = verdict.facts.functions.find(oid);
    if (fact == verdict.facts.functions.end())
      return not_allowed(
          "A function of this statement is not known to the server any more: look at the schema, "
          "and try again");
    refused[standing_of(oid, fact->second, by, rules.functions)].insert(called(fact->second));
  }
  for (const Oid32 oid : verdict.resolved.samplers)
    if (oid >= kFirstUserOid) refused[FunctionStanding::Changes].insert("TABLESAMPLE by it");
  if (const auto& names = refused[FunctionStanding::Changes]; !names.empty())
    return not_allowed(
        "Not allowed here, since it may change data or its result changes from call to call: " +
        joined(names));
  if (const auto& names = refused[FunctionStanding::Outside]; !names.empty())
    return not_allowed(
        "Not allowed here, since it tells of sessions, roles or the server, or looks outside the "
        "tables: " +
        joined(names));
  if (const auto& names = refused[FunctionStanding::Unseen]; !names.empty())
    return not_allowed("Not allowed here, since the effect can't be checked: " + joined(names) +
                       ". Write it without, or ask an operator to list it as one of the "
                       "'functions' of this data source");
  return std::nullopt;
}

Refusal refusal_of_relations(const StatementVerdict& verdict) {
  for (const auto& [oid, by] : verdict.resolved.relations) {
    const auto found = verdict.facts.relations.find(oid);
    if (found == verdict.facts.relations.end())
      return not_allowed(
          "A table of this statement is not known to the server any more: look at the schema, and "
          "try again");
    const RelationFact& relation = found->second;
    if (is_own_table(relation.name))
      return not_allowed("The table " + relation.name +
                         " is not readable here: it is this tool's own");
    if (relation.runs_a_program)
      return not_allowed("The table " + relation.qualified() +
                         " is not readable here: a program on the server makes its rows");
    if (oid < kFirstUserOid && !is_readable_system_table(relation.schema, relation.name))
      return not_allowed("The system catalog (" + relation.qualified() +
                         ") is not readable here. Use information_schema.tables and "
                         "information_schema.columns");
  }
  if (verdict.resolved.whole_system_row)
    return not_allowed(
        "A row of the system catalog as one value is not readable here: name the "
        "columns that you need");
  return std::nullopt;
}

constexpr std::size_t kKnownMax = 100;

}  // namespace

ToolError not_allowed(std::string message) {
  return {ToolErrorType::PermissionDenied, "SQL_NOT_ALLOWED", std::move(message)};
}

Refusal refusal_of_uses(const StatementVerdict& verdict, const JudgeRules& rules) {
  const ResolvedStatement& found = verdict.resolved;
  if (found.unknown)
    return not_allowed("The statement can't be checked, since " + *found.unknown +
                       " is not known here; write it in a simpler way");
  if (found.locks_rows)
    return not_allowed(
        "A statement that locks rows is not allowed here: leave out FOR UPDATE, FOR SHARE and "
        "their like");
  if (found.asks_for_session)
    return not_allowed(
        "current_user and its like are not allowed, since the login is not shown: leave them out");
  for (const Oid32 type : found.types)
    if (is_refused_type(type))
      return not_allowed(
          "A type that tells of roles, or by which a type is read and written, or that may hold "
          "any, is not allowed (regrole, aclitem, cstring, anyarray)");
  for (const Oid32 type : verdict.facts.cast_sources)
    if (found.types.contains(type))
      return not_allowed(
          "A function gives its result as another type, by a cast that can't be checked; write it "
          "without");
  if (Refusal refusal = refusal_of_relations(verdict)) return refusal;
  return refusal_of_functions(verdict, rules);
}

Refusal refusal_of_read(const StatementVerdict& verdict, const JudgeRules& rules) {
  if (Refusal refusal = refusal_of_uses(verdict, rules)) return refusal;
  if (!verdict.resolved.targets.empty() || !verdict.resolved.sequences.empty())
    return not_allowed("A statement that changes data is not allowed here");
  return std::nullopt;
}

bool plan_tells_more(const StatementVerdict& verdict) {
  bool more = verdict.resolved.holds_back;
  for (const auto& [oid, by] : verdict.resolved.relations) {
    const auto fact = verdict.facts.relations.find(oid);
    if (fact == verdict.facts.relations.end() || oid < kFirstUserOid) continue;
    more = more || fact->second.from_elsewhere ||
           (by == WrittenBy::Owner &&
            (fact->second.unreadable || fact->second.row_security || fact->second.barrier));
  }
  return more;
}

bool server_watches(const StatementVerdict& verdict) {
  if (!verdict.lasts || !verdict.resolved.types.empty()) return false;
  for (const auto& [oid, fact] : verdict.facts.relations)
    if (oid >= kFirstUserOid && fact.has_parts) return false;
  for (const auto& [oid, fact] : verdict.facts.functions)
    if (oid >= kFirstUserOid && fact.language != "c" && fact.language != "internal") return false;
  return verdict.resolved.operators.empty();
}

bool changes_by_itself(const StatementVerdict& verdict, const JudgeRules& rules) {
  if (verdict.resolved.changes || verdict.resolved.row_security) return true;
  // The catalog changes without the data, and shows each role something else.
  for (const auto& [oid, by] : verdict.resolved.relations)
    if (oid < kFirstUserOid) return true;
  for (const auto& [oid, fact] : verdict.facts.relations)
    if (fact.from_elsewhere || fact.row_security) return true;
  for (const auto& [oid, by] : verdict.resolved.functions) {
    const auto fact = verdict.facts.functions.find(oid);
    if (fact == verdict.facts.functions.end() ||
        standing_of(oid, fact->second, by, rules.functions) != FunctionStanding::Kept)
      return true;
  }
  return false;
}

void KnownVerdicts::clear() {
  known_.clear();
  order_.clear();
  dropped_.clear();
}

std::optional<KnownVerdicts::Known> KnownVerdicts::find(const std::string& key) const {
  const auto found = known_.find(key);
  if (found == known_.end()) return std::nullopt;
  return found->second;
}

void KnownVerdicts::remember(const std::string& key, Known known) {
  forget(key);
  if (order_.size() >= kKnownMax) forget(std::string(order_.front()));
  known_[key] = std::move(known);
  order_.push_back(key);
}

void KnownVerdicts::forget(const std::string& key) {
  const auto found = known_.find(key);
  if (found == known_.end()) return;
  drop(found->second.name);
  known_.erase(found);
  order_.remove(key);
}

void KnownVerdicts::forget_all() {
  while (!order_.empty()) forget(std::string(order_.front()));
}

std::vector<std::string> KnownVerdicts::take_dropped() { return std::exchange(dropped_, {}); }

CatalogQuestion open_question(const StatementVerdict& verdict, const ResolvedStatement& asked,
                              const LiteralHazards& known) {
  CatalogQuestion question;
  const ResolvedStatement& found = verdict.resolved;
  for (const auto& [oid, by] : found.functions)
    if (!verdict.facts.functions.contains(oid)) question.functions.insert(oid);
  for (const Oid32 oid : found.samplers)
    if (oid >= kFirstUserOid && !verdict.facts.functions.contains(oid))
      question.functions.insert(oid);
  for (const auto& [oid, by] : found.relations)
    if (!verdict.facts.relations.contains(oid)) question.relations.insert(oid);
  for (const Oid32 oid : found.sequences)
    if (!verdict.facts.relations.contains(oid)) question.relations.insert(oid);
  for (const auto& [oid, commands] : found.targets)
    if (!verdict.facts.relations.contains(oid)) question.relations.insert(oid);
  for (const Oid32 oid : found.operators)
    if (!asked.operators.contains(oid)) question.operators.insert(oid);
  for (const Oid32 oid : found.types)
    if (oid >= kFirstUserOid && !asked.types.contains(oid)) question.types.insert(oid);
  for (const Oid32 oid : found.system_operators)
    if (known.extended_operators.contains(oid) && !asked.operators.contains(oid))
      question.operators.insert(oid);
  for (const Oid32 oid : found.system_types)
    if (known.extended_types.contains(oid) && !asked.types.contains(oid))
      question.types.insert(oid);
  for (const Oid32 oid : found.stored)
    if (oid >= kFirstUserOid && !asked.stored.contains(oid)) question.views.insert(oid);
  return question;
}

}  // namespace ba::sql
