// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/resolved/statement_judge.hpp"

#include <map>

#include "worker/tools/sql/resolved/function_rules.hpp"
#include "worker/tools/sql/resolved/node_dump.hpp"
#include "worker/tools/sql/statement/sql_meaning.hpp"
#include "worker/tools/sql/statement/sql_tree.hpp"

namespace ba::sql {
namespace {

using Message = PgConnection::Message;
using Kind = PgConnection::Message::Kind;

constexpr int kRoundsMax = 20;

constexpr const char* kLook = "ba_look";
constexpr const char* kAway = "ba_look_away";
constexpr const char* kMoment = "ba_moment";
constexpr const char* kReach = "ba_reach";

/// On a standby the server's answer leaves out what is still under way.
constexpr const char* kMomentQuestion =
    "SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN ''"
    " ELSE pg_catalog.pg_current_snapshot()::pg_catalog.text END";

/// The one value that an answer has.
class ValueSink final : public RowSink {
 public:
  explicit ValueSink(std::string& value) : value_(value) {}
  bool row(const Row& row) override {
    value_ = row.at(0).value_or("");
    return true;
  }

 private:
  std::string& value_;
};

const Message kAskForMoment{Kind::Execute, kMoment, {}, {}, {}, true};
ToolError changed_meanwhile() {
  return not_allowed("The meaning of the statement changed while it was checked: try again");
}
std::string key_of(const StatementJudge::Case& asked) { return asked.scope + '\0' + asked.sql; }

}  // namespace

PgConnection::Failure StatementJudge::reset(Purpose purpose, bool pooled, const SqlWait& until) {
  pooled_ = pooled;
  known_.clear();
  system_ = {};
  std::map<std::string, std::string> questions(catalog_statements().begin(),
                                               catalog_statements().end());
  if (purpose == Purpose::Write) questions[kReach] = kWriteReach;
  catalog_.reset(pooled, std::move(questions));
  if (Failure failure = look_for_hazards(until)) return failure;
  if (pooled_) return std::nullopt;
  // As prepared statements they are not parsed again, so that nothing of them is printed.
  if (Failure failure =
          connection_.script("SET client_min_messages = log; SET debug_pretty_print = off; "
                             "SET plan_cache_mode = force_generic_plan",
                             until))
    return failure;
  std::vector<Message> messages{query_message("BEGIN READ ONLY"),
                                prepare_message(kLook, "SET debug_print_rewritten = on"),
                                prepare_message(kAway, "SET debug_print_rewritten = off"),
                                prepare_message(kMoment, kMomentQuestion)};
  for (Message& question : catalog_.preparing()) messages.push_back(std::move(question));
  messages.push_back(query_message("ROLLBACK"));
  return connection_.batch(messages, until, nullptr);
}

/// Types come and go while a connection lives.
PgConnection::Failure StatementJudge::look_for_hazards(const SqlWait& until) {
  LiteralHazards found;
  HazardSink sink(found);
  if (Failure failure = catalog_.ask(kLiteralHazards, until, sink)) return failure;
  if (found != hazards_) known_.forget_all();
  hazards_ = std::move(found);
  hazards_as_of_ = Clock::now();
  return std::nullopt;
}

/// Whether the server must not even analyse it.
PgConnection::Failure StatementJudge::refuse_unseen(const Case& asked, Refusal& refused) {
  if (Clock::now() - hazards_as_of_ > age_max_)
    if (Failure failure = look_for_hazards(asked.until)) return failure;
  refused = refusal_unseen(asked);
  return std::nullopt;
}

/// What is known was looked at with the same hazards.
Refusal StatementJudge::refusal_unseen(const Case& asked) const {
  if (!hazards_.any() || known_.find(key_of(asked))) return std::nullopt;
  const Result<SqlStatement> statement = parse_statement(asked.sql, {});
  if (statement && !hazards_.in(statement->body)) return std::nullopt;
  return not_allowed(
      "A text in this statement may be read as an array, a row or a range whose type has checks "
      "that call functions; write such a value by its parts, as ARRAY[...] or ROW(...)");
}

/// Sends messages of which one makes the server print a statement's tree.
PgConnection::Failure StatementJudge::look(const Case& asked, std::vector<Message> messages,
                                           std::vector<std::string>& trees) {
  connection_.take_trees();
  moment_.clear();
  ValueSink moment(moment_);
  Failure failure = connection_.batch(messages, asked.until, &moment);
  trees = connection_.take_trees();
  return failure;
}

/// A plan counts the rows that a policy held back, and looks for some by their values first; it
/// names the tables and conditions of views, and the files and queries of foreign tables.
PgConnection::Failure StatementJudge::judge(const Case& asked, StatementVerdict& verdict,
                                            std::string& name) {
  Failure failure = judge_meaning(asked, verdict, name);
  if (!failure && !verdict.refused && asked.explains && verdict.holds_back)
    verdict.refused = not_allowed(
        "EXPLAIN is not allowed here: a plan tells of rows that a table or view of this statement "
        "holds back, of tables behind a view that may not be read, or where a foreign table's rows "
        "come from. Run the statement itself");
  return failure;
}

PgConnection::Failure StatementJudge::judge_meaning(const Case& asked, StatementVerdict& verdict,
                                                    std::string& name) {
  if (Failure failure = refuse_unseen(asked, verdict.refused); failure || verdict.refused)
    return failure;
  if (pooled_) {
    Failure failure = resolve(asked, verdict, name);
    if (!failure) settle(verdict);
    return failure;
  }
  if (Failure failure = judge_known(asked, verdict, name); failure || !name.empty()) return failure;
  if (Failure failure = judge_new(asked, verdict, name); failure || verdict.refused) return failure;
  bool holds = false;
  if (Failure failure = enter(asked, name, {}, holds)) return failure;
  if (!holds) verdict.refused = changed_meanwhile();
  return std::nullopt;
}

/// Opens the transaction, and prepares the statement as `name` while the server prints.
std::vector<Message> StatementJudge::looking_at(const Case& asked, const std::string& name) {
  std::vector<Message> messages = asked.opening;
  for (const std::string& old : known_.take_dropped())
    messages.push_back(query_message("DEALLOCATE " + old));
  messages.insert(messages.end(), {kAskForMoment, execute_message(kLook),
                                   prepare_message(name, asked.sql), execute_message(kAway)});
  return messages;
}

/// Opens the transaction in which a prepared statement would run. Describing it there makes the
/// server analyse it again where something it depends on has changed, and lock its tables. Holds:
/// it didn't, and it is still the moment, where one is given.
PgConnection::Failure StatementJudge::enter(const Case& asked, const std::string& name,
                                            const std::string& moment, bool& holds) {
  std::vector<Message> messages = asked.opening;
  if (!moment.empty()) messages.push_back(kAskForMoment);
  const Message describe{Kind::Describe, name, {}, {}, {}, false};
  messages.insert(messages.end(), {execute_message(kLook), describe, execute_message(kAway)});
  std::vector<std::string> trees;
  if (Failure failure = look(asked, std::move(messages), trees)) return failure;
  holds = trees.empty() && moment_ == moment;
  return std::nullopt;
}

/// `name` stays empty where the statement is to be judged anew.
PgConnection::Failure StatementJudge::judge_known(const Case& asked, StatementVerdict& verdict,
                                                  std::string& name) {
  name.clear();
  const std::string key = key_of(asked);
  const auto known = known_.find(key);
  if (!known) return std::nullopt;
  bool holds = false;
  if (Clock::now() - known->judged <= age_max_) {
    Failure failure = enter(asked, known->name, known->moment, holds);
    if (failure && failure->kind != SqlFailure::Kind::Server) return failure;
  }
  if (holds) {
    name = known->name;
    verdict.refused = known->refused;
    verdict.not_cacheable = known->not_cacheable;
    verdict.holds_back = known->holds_back;
    return std::nullopt;
  }
  known_.forget(key);
  if (!connection_.in_transaction()) return std::nullopt;
  return connection_.script("ROLLBACK", asked.until);
}

PgConnection::Failure StatementJudge::judge_new(const Case& asked, StatementVerdict& verdict,
                                                std::string& name) {
  name = known_.new_name();
  std::vector<Message> messages = looking_at(asked, name);
  messages.push_back(query_message("ROLLBACK"));
  std::vector<std::string> trees;
  if (Failure failure = look(asked, std::move(messages), trees)) return failure;
  const std::string moment = moment_;
  if (Failure failure = weigh(asked, trees, verdict)) return failure;
  settle(verdict);
  remember(asked, verdict, name, moment);
  return std::nullopt;
}

PgConnection::Failure StatementJudge::resolve(const Case& asked, StatementVerdict& verdict,
                                              std::string& name) {
  if (Failure failure = refuse_unseen(asked, verdict.refused); failure || verdict.refused)
    return failure;
  if (pooled_) {
    name.clear();
    return resolve_pooled(asked, verdict);
  }
  name = known_.new_name();
  // Reading a literal may run the checks of its type: nothing is written by that.
  std::vector<Message> opening = asked.opening;
  opening.push_back(query_message("SAVEPOINT ba_look"));
  opening.push_back(query_message("SET TRANSACTION READ ONLY"));
  std::vector<Message> messages = looking_at({asked.sql, opening, asked.scope, asked.until}, name);
  messages.push_back(query_message("ROLLBACK TO SAVEPOINT ba_look"));
  std::vector<std::string> trees;
  if (Failure failure = look(asked, std::move(messages), trees)) return failure;
  known_.drop(name);
  Failure failure = weigh(asked, trees, verdict);
  if (trees.size() == 1) verdict.tree = std::move(trees[0]);
  return failure;
}

/// Prepares it once more, to be run, and asks again for what stands behind it: what it names is
/// locked from then on to the transaction's end, indexes and checks with it.
PgConnection::Failure StatementJudge::prepare_to_run(const Case& asked, StatementVerdict& verdict,
                                                     std::string& name, bool& holds) {
  name = known_.new_name();
  std::vector<std::string> trees;
  if (Failure failure = look(
          asked, {execute_message(kLook), prepare_message(name, asked.sql), execute_message(kAway)},
          trees))
    return failure;
  known_.drop(name);
  holds = trees.size() == 1 && trees[0] == verdict.tree;
  if (!holds) return std::nullopt;
  verdict = {};
  return weigh(asked, trees, verdict);
}

PgConnection::Failure StatementJudge::judge_question(const Case& asked, StatementVerdict& verdict,
                                                     std::string& name) {
  if (Failure failure = resolve(asked, verdict, name)) return failure;
  if (verdict.refused) return std::nullopt;
  JudgeRules calm;
  for (const auto& [oid, fact] : verdict.facts.functions)
    if (fact.volatility != 'v' && rules_.functions.contains(fact.qualified()))
      calm.functions.insert(fact.qualified());
  verdict.refused = refusal_of_read(verdict, calm);
  return std::nullopt;
}

/// First as resolve() does it; then again, to be run: a question takes the place of the one
/// statement without a name. The end of the first look is printed, too.
PgConnection::Failure StatementJudge::resolve_pooled(const Case& asked, StatementVerdict& verdict) {
  const std::vector<Message> look_again{query_message("SET LOCAL debug_print_rewritten = on"),
                                        prepare_message("", asked.sql)};
  std::vector<Message> messages = asked.opening;
  for (const char* setting :
       {"SET LOCAL client_min_messages = log", "SET LOCAL debug_pretty_print = off",
        "SAVEPOINT ba_look", "SET TRANSACTION READ ONLY"})
    messages.push_back(query_message(setting));
  messages.insert(messages.end(), look_again.begin(), look_again.end());
  messages.push_back(query_message("ROLLBACK TO SAVEPOINT ba_look"));
  std::vector<std::string> first;
  if (Failure failure = look(asked, std::move(messages), first)) return failure;
  if (!first.empty()) first.pop_back();
  if (Failure failure = weigh(asked, first, verdict)) return failure;
  // From here on it could write.
  if (refusal_of_writes_uses(verdict)) return std::nullopt;
  std::vector<std::string> second;
  if (Failure failure = look(asked, look_again, second)) return failure;
  if (first.empty() || second != first)
    verdict.resolved.unknown = "what it means from one moment to the next";
  return std::nullopt;
}

/// What the trees hold, and what the catalog says of it.
PgConnection::Failure StatementJudge::weigh(const Case& asked,
                                            const std::vector<std::string>& trees,
                                            StatementVerdict& verdict) {
  verdict.facts = system_;
  const int major = connection_.server_major();
  if (major < kServerMajorMin || major > kServerMajorMax)
    verdict.resolved.unknown = "PostgreSQL " + std::to_string(major);
  else if (trees.size() != 1 || trees[0].empty() || !verdict.resolved.add_rewritten(trees[0]))
    verdict.resolved.unknown = "its tree";
  return verdict.resolved.unknown ? std::nullopt : complete(asked, verdict);
}

/// Asks for facts until nothing is open: a body that a fact brings may use further things.
PgConnection::Failure StatementJudge::complete(const Case& asked, StatementVerdict& verdict) {
  ResolvedStatement done;
  for (int round = 0; round < kRoundsMax; ++round) {
    const CatalogQuestion question = open_question(verdict, done, hazards_);
    if (question.empty()) return std::nullopt;
    done.operators.insert(question.operators.begin(), question.operators.end());
    done.types.insert(question.types.begin(), question.types.end());
    done.stored.insert(question.views.begin(), question.views.end());
    FactsSink facts(verdict.facts);
    if (Failure failure = catalog_.ask(question.queries(), asked.opening, asked.until, facts))
      return failure;
    for (const Oid32 oid : facts.functions) {
      verdict.resolved.functions.emplace(oid, WrittenBy::Owner);
      if (oid >= kFirstUserOid && (round > 0 || !question.functions.contains(oid)))
        verdict.lasts = false;
    }
    verdict.resolved.types.insert(facts.types.begin(), facts.types.end());
    verdict.resolved.operators.insert(facts.operators.begin(), facts.operators.end());
    for (const std::string& dump : facts.dumps)
      if (!verdict.resolved.add_stored(dump)) verdict.resolved.unknown = "a stored expression";
    if (!facts.complete) verdict.resolved.unknown = "what the catalog says";
    if (verdict.resolved.unknown) return std::nullopt;
    for (const TextBody& body : facts.bodies)
      if (Failure failure = read_body(asked, body, verdict)) return failure;
  }
  verdict.resolved.unknown = "all that stands behind it";
  return std::nullopt;
}

PgConnection::Failure StatementJudge::judge_write(const Case& asked, const ReachRules& reach,
                                                  StatementVerdict& verdict, std::string& name) {
  if (Failure failure = resolve(asked, verdict, name); failure || verdict.refused) return failure;
  const ResolvedStatement seen = verdict.resolved;
  if ((verdict.refused = refusal_of_writes_uses(verdict))) return std::nullopt;
  bool holds = pooled_;
  if (!holds)
    if (Failure failure = prepare_to_run(asked, verdict, name, holds)) return failure;
  if (!holds) {
    verdict.refused = changed_meanwhile();
    return std::nullopt;
  }
  WriteReach found;
  if (Failure failure = this->reach(asked, reach, verdict, found)) return failure;
  verdict.refused = refusal_of_reach(verdict, found, reach);
  if (!verdict.refused) verdict.refused = refusal_of_writes_uses(verdict);
  if (verdict.refused || !pooled_) return std::nullopt;
  // The question took the place of the statement without a name. The printing ends first.
  if (Failure failure = connection_.script("ROLLBACK TO SAVEPOINT ba_look", asked.until))
    return failure;
  StatementVerdict again;
  const std::vector<Message> nothing;
  const Case later{asked.sql, nothing, asked.scope, asked.until};
  if (Failure failure = resolve(later, again, name)) return failure;
  if (again.resolved.unknown || again.resolved != seen) verdict.refused = changed_meanwhile();
  return std::nullopt;
}

/// Of the statement itself. Sequences that are not the target's own are refused by its reach.
Refusal StatementJudge::refusal_of_writes_uses(StatementVerdict verdict) const {
  verdict.resolved.functions.erase(kNextvalOid);
  return refusal_of_uses(verdict, rules_);
}

PgConnection::Failure StatementJudge::reach(const Case& asked, const ReachRules& rules,
                                            StatementVerdict& verdict, WriteReach& found) {
  if (verdict.resolved.unknown) return std::nullopt;
  ReachSink sink(found, rules);
  const CatalogQuery question{kReach, reach_parameters(verdict.resolved)};
  if (Failure failure = catalog_.ask({question}, asked.opening, asked.until, sink)) return failure;
  verdict.resolved.types.insert(found.types.begin(), found.types.end());
  for (const Oid32 oid : found.called) verdict.resolved.functions.emplace(oid, WrittenBy::Owner);
  for (const Oid32 oid : found.planned) verdict.resolved.relations.emplace(oid, WrittenBy::Owner);
  for (const std::string& dump : found.dumps)
    if (!verdict.resolved.add_stored(dump)) verdict.resolved.unknown = "a stored expression";
  if (!sink.complete()) verdict.resolved.unknown = "what the catalog says";
  return verdict.resolved.unknown ? std::nullopt : complete(asked, verdict);
}

/// The body as the server analyses it, under the statement's own settings. What it can't analyse
/// or what has a text that it must not even read, stays unseen. Behind a pool nothing is prepared
/// beside the statement itself.
PgConnection::Failure StatementJudge::read_body(const Case& asked, const TextBody& body,
                                                StatementVerdict& verdict) {
  if (pooled_) return std::nullopt;
  const Result<SqlStatement> statement = parse_statement(body.statement, {});
  if (!statement || hazards_.in(statement->body)) return std::nullopt;
  const bool within = connection_.in_transaction();
  std::vector<Message> messages = asked.opening;
  if (within) messages = {query_message("SAVEPOINT ba_body")};
  if (within) messages.push_back(query_message("SET TRANSACTION READ ONLY"));
  const Message prepared{Kind::Prepare, "ba_body", body.statement, {}, body.parameter_types, false};
  messages.insert(messages.end(), {execute_message(kLook), prepared, execute_message(kAway),
                                   query_message("DEALLOCATE ba_body")});
  std::vector<std::string> trees;
  Failure failure = look(asked, std::move(messages), trees);
  if (failure && failure->kind != SqlFailure::Kind::Server) return failure;
  // Its constants are worked out now, but a text that spells the present is so each time.
  if (spells_the_present(*statement)) {
    verdict.resolved.changes = "a function's body spells the present";
    verdict.lasts = false;
  }
  const bool seen = !failure && trees.size() == 1 && !trees[0].empty() &&
                    !may_mean_columns(body.replaced, trees[0]) &&
                    verdict.resolved.add_body(trees[0]);
  verdict.facts.functions[body.function].has_body = seen;
  return connection_.script(within ? "ROLLBACK TO SAVEPOINT ba_body" : "ROLLBACK", asked.until);
}

void StatementJudge::settle(StatementVerdict& verdict) const {
  verdict.refused = refusal_of_read(verdict, rules_);
  verdict.not_cacheable = changes_by_itself(verdict, rules_);
  verdict.holds_back = plan_tells_more(verdict);
}

/// What the server doesn't watch is remembered as long as no transaction has ended since.
void StatementJudge::remember(const Case& asked, const StatementVerdict& verdict,
                              const std::string& name, const std::string& moment) {
  for (const auto& [oid, fact] : verdict.facts.functions)
    if (oid < kFirstUserOid) system_.functions.emplace(oid, fact);
  for (const auto& [oid, fact] : verdict.facts.relations)
    if (oid < kFirstUserOid) system_.relations.emplace(oid, fact);
  const Result<SqlStatement> statement = parse_statement(asked.sql, {});
  const bool watched = server_watches(verdict);
  if (!statement || spells_the_present(*statement) || (!watched && moment.empty()))
    return known_.drop(name);
  known_.remember(key_of(asked), {name, verdict.refused, verdict.not_cacheable, verdict.holds_back,
                                  Clock::now(), watched ? "" : moment});
}

}  // namespace ba::sql
