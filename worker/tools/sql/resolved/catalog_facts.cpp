// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/resolved/catalog_facts.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "worker/tools/sql/connection/session_settings.hpp"
#include "worker/tools/sql/resolved/function_rules.hpp"

namespace ba::sql {
namespace {

using Message = PgConnection::Message;
using Kind = PgConnection::Message::Kind;

/// "{1,2}", as PostgreSQL reads an array.
std::string array_of(const std::set<Oid32>& oids) {
  std::string text = "{";
  for (const Oid32 oid : oids) text += (text.size() > 1 ? "," : "") + std::to_string(oid);
  return text + "}";
}

constexpr const char* kNoJit = "SET LOCAL jit = off";  ///< compiling would take longer than asking
/// Behind a pool the printing of a statement may be on.
constexpr const char* kPrintNothing = "SET LOCAL debug_print_rewritten = off";

}  // namespace

std::vector<CatalogQuery> CatalogQuestion::queries() const {
  std::vector<CatalogQuery> queries;
  if (!functions.empty())
    queries.push_back({*functions.rbegin() < kFirstUserOid ? "ba_system_functions" : "ba_functions",
                       {array_of(functions)}});
  if (!operators.empty() || !types.empty())
    queries.push_back({"ba_types", {array_of(operators), array_of(types)}});
  if (!relations.empty()) queries.push_back({"ba_relations", {array_of(relations)}});
  if (!views.empty()) queries.push_back({"ba_stored", {array_of(views)}});
  return queries;
}

/// Arguments that only come out have no number.
void FactsSink::take_body(Oid32 function, const std::string& name, const std::string& described) {
  const auto json = nlohmann::json::parse(described, nullptr, false);
  if (!json.is_object()) return;
  std::vector<std::string> names;
  const auto& all = json.at("names");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool in = json.at("modes").is_null() || json.at("modes").at(i) == "i" ||
                    json.at("modes").at(i) == "b" || json.at("modes").at(i) == "v";
    if (in) names.push_back(all.at(i).get<std::string>());
  }
  std::set<std::string> replaced;
  const auto statement =
      body_as_statement(json.at("body").get<std::string>(), name, names, &replaced);
  if (!statement) return;
  TextBody body{function, *statement, {}, std::move(replaced)};
  for (const auto& type : json.at("types"))
    body.parameter_types.push_back(static_cast<Oid32>(
        type.is_string() ? std::strtoul(type.get<std::string>().c_str(), nullptr, 10)
                         : type.get<unsigned long>()));
  bodies.push_back(std::move(body));
}

bool FactsSink::row(const Row& row) {
  const auto text = [&row](std::size_t i) { return std::string(row.at(i).value_or("")); };
  const auto oid = static_cast<Oid32>(std::strtoul(text(1).c_str(), nullptr, 10));
  const std::string kind = text(0);
  if (kind == "called") functions.insert(oid);
  if (kind == "type") types.insert(oid);
  if (kind == "operator") operators.insert(oid);
  if (kind == "cast") facts_.cast_sources.insert(oid);
  if (kind == "function") {
    functions.insert(oid);
    const std::string detail = text(4);
    FunctionFact& fact = facts_.functions[oid];
    fact = {text(2),
            text(3),
            detail.empty() ? 'v' : detail[0],
            text(5),
            detail.ends_with('a'),
            row.at(6).has_value()};
    if (!fact.has_body && row.at(7)) take_body(oid, fact.name, text(7));
  } else if (kind == "relation") {
    const std::string detail = text(4);
    const auto has = [&detail](char flag) { return detail.find(flag, 1) != std::string::npos; };
    RelationFact& fact = facts_.relations[oid];
    fact = {.schema = text(2), .name = text(3)};
    fact.kind = detail.empty() ? 'r' : detail[0];
    fact.from_elsewhere = !text(5).empty();
    fact.runs_a_program = text(5) == "program";
    fact.has_parts = has('h');
    fact.unreadable = has('u');
    fact.row_security = has('g');
    fact.barrier = has('b');
  }
  if (row.at(6)) dumps.emplace_back(*row.at(6));
  return true;
}

void CatalogReader::reset(bool pooled, std::map<std::string, std::string> questions) {
  pooled_ = pooled;
  questions_ = std::move(questions);
}

std::vector<Message> CatalogReader::preparing() const {
  std::vector<Message> messages{query_message(kCatalogPath)};
  for (const auto& [name, text] : questions_)
    messages.push_back({Kind::Prepare, name, text, {}, {}, false});
  return messages;
}

PgConnection::Failure CatalogReader::ask(const std::vector<CatalogQuery>& questions,
                                         const std::vector<Message>& opening, const SqlWait& until,
                                         RowSink& sink) {
  std::vector<Message> messages;
  for (const CatalogQuery& question : questions) messages.push_back(message_of(question));
  return enclosed(opening, messages, until, sink);
}

PgConnection::Failure CatalogReader::ask(const std::string& sql, const SqlWait& until,
                                         RowSink& sink) {
  return enclosed({query_message("BEGIN READ ONLY")}, {{Kind::Query, "", sql, {}, {}, true}}, until,
                  sink);
}

Message CatalogReader::message_of(const CatalogQuery& question) const {
  if (!pooled_) return {Kind::Execute, question.name, {}, question.parameters, {}, true};
  return {Kind::Query, "", questions_.at(question.name), question.parameters, {}, true};
}

/// What is set after the savepoint goes with it.
PgConnection::Failure CatalogReader::enclosed(std::vector<Message> opening,
                                              const std::vector<Message>& questions,
                                              const SqlWait& until, RowSink& sink) {
  const bool within = connection_.in_transaction();
  std::vector<Message> messages{query_message("SAVEPOINT ba_facts")};
  if (!within) messages = std::move(opening);
  messages.insert(messages.end(), {query_message(kCatalogPath), query_message(kNoJit)});
  if (pooled_) messages.push_back(query_message(kPrintNothing));
  messages.insert(messages.end(), questions.begin(), questions.end());
  messages.push_back(query_message(within ? "ROLLBACK TO SAVEPOINT ba_facts" : "ROLLBACK"));
  return connection_.batch(messages, until, &sink);
}

}  // namespace ba::sql
