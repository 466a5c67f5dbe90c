// SPDX-License-Identifier: Apache-2.0
// row_count_question() of sql_clauses.hpp.

#include <algorithm>
#include <array>
#include <initializer_list>

#include "worker/tools/sql/connection/session_settings.hpp"
#include "worker/tools/sql/statement/sql_clauses.hpp"
#include "worker/tools/sql/statement/sql_tree.hpp"

namespace ba::sql {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 4> kSources{"select", "values", "table", "with"};

/// The clauses of a statement that writes, by the places of its words.
class Clauses {
 public:
  explicit Clauses(std::string_view sql) : sql_(sql), words_(words_outside_brackets(sql)) {}

  /// A clause that begins with the verb; the WITH before it.
  bool begin_at(std::string_view verb) {
    verb_ = find(verb, 0);
    at_ = verb_;
    return verb_ < words_.size();
  }
  std::string with() const { return std::string(sql_.substr(0, words_[verb_].begin)); }

  /// Behind the word, which comes next among others.
  bool pass(std::string_view word) {
    at_ = find(word, at_ + 1);
    return at_ < words_.size();
  }

  /// From behind the present word to the first of others, or the end.
  std::string up_to(std::initializer_list<std::string_view> ends) {
    const std::size_t from = words_[at_].end;
    std::size_t next = at_ + 1;
    while (next < words_.size() && !ends_clause(next, ends)) ++next;
    at_ = next;
    return std::string(
        sql_.substr(from, (at_ < words_.size() ? words_[at_].begin : sql_.size()) - from));
  }

  bool is_at(std::string_view word) const {
    return at_ < words_.size() && words_[at_].text == word;
  }

  /// The query of an INSERT, whose first word is part of it.
  std::string source() {
    ++at_;
    while (at_ < words_.size() && std::ranges::find(kSources, words_[at_].text) == kSources.end())
      ++at_;
    if (at_ >= words_.size()) return "";
    const std::size_t first = at_;
    std::string behind = up_to({"conflict", "returning"});
    if (is_at("conflict"))  // ON stands before it
      behind.resize(words_[at_ - 1].begin - words_[first].end);
    return std::string(sql_.substr(words_[first].begin, words_[first].end - words_[first].begin)) +
           behind;
  }

 private:
  std::size_t find(std::string_view word, std::size_t from) const {
    while (from < words_.size() && words_[from].text != word) ++from;
    return from;
  }

  bool ends_clause(std::size_t at, std::initializer_list<std::string_view> ends) const {
    const bool distinct_from = words_[at].text == "from" && words_[at - 1].text == "distinct";
    return !distinct_from && std::ranges::find(ends, words_[at].text) != ends.end();
  }

  std::string_view sql_;
  std::vector<SqlWord> words_;
  std::size_t verb_ = 0;
  std::size_t at_ = 0;
};

/// What is counted, and the query of the rows without their number's limit.
struct Rows {
  std::string with;
  std::string query;
};

std::string name_of(const Json& relation) {
  const Json alias = relation.value("alias", Json::object());
  return sql_identifier(alias.value("aliasname", relation.value("relname", "")));
}

/// Each row of the target once, also where a join finds it often.
Rows rows_of_target(const Json& relation, std::string with, const std::string& target,
                    const std::string& others, const std::string& condition) {
  const std::string name = name_of(relation);
  const bool joins = !others.empty();
  return {std::move(with), std::string("SELECT ") + (joins ? "DISTINCT " : "") + name +
                               ".tableoid, " + name + ".ctid FROM " + target +
                               (joins ? "\n, " + others : "") + "\nWHERE " + condition};
}

std::optional<Rows> rows_of(std::string_view sql, const SqlStatement& statement) {
  Clauses clauses(sql);
  if (statement.node == "InsertStmt") {
    if (!clauses.begin_at("insert")) return std::nullopt;
    std::string with = clauses.with();
    return Rows{std::move(with), "SELECT 1 FROM (" + clauses.source() + "\n) AS ba_source"};
  }
  const bool update = statement.node == "UpdateStmt";
  if (!clauses.begin_at(update ? "update" : "delete")) return std::nullopt;
  if (!update && !clauses.pass("from")) return std::nullopt;
  const std::string target = clauses.up_to({update ? "set" : "using", "where"});
  if (update) clauses.up_to({"from", "where"});
  const std::string others =
      clauses.is_at("from") || clauses.is_at("using") ? clauses.up_to({"where"}) : "";
  if (!clauses.is_at("where")) return std::nullopt;
  return rows_of_target(statement.body.at("relation"), clauses.with(), target, others,
                        clauses.up_to({"returning"}));
}

/// The same rows: the parts of both trees are equal.
bool asks_of_the_same(const Json& question, const SqlStatement& statement) {
  const Json& rows = question.at("/fromClause/0/RangeSubselect/subquery/SelectStmt"_json_pointer);
  const Json& write = statement.body;
  if (question.value("withClause", Json()) != write.value("withClause", Json())) return false;
  if (statement.node == "InsertStmt")
    return rows.at("/fromClause/0/RangeSubselect/subquery"_json_pointer) ==
           write.value("selectStmt", Json());
  Json from = Json::array({{{"RangeVar", write.at("relation")}}});
  for (const Json& other :
       write.value(statement.node == "UpdateStmt" ? "fromClause" : "usingClause", Json::array()))
    from.push_back(other);
  return rows.at("fromClause") == from &&
         rows.at("whereClause") == write.value("whereClause", Json());
}

}  // namespace

std::optional<std::string> row_count_question(std::string_view sql, int most) {
  sql = sql.substr(0, sql.find_last_not_of("; \t\r\n") + 1);
  Result<SqlStatement> statement = parse_statement(sql, {});
  if (!statement) return std::nullopt;
  const std::optional<Rows> rows = rows_of(sql, *statement);
  if (!rows) return std::nullopt;
  // A comment to the end of the line ends with it.
  std::string text = rows->with + "SELECT pg_catalog.count(*) FROM (" + rows->query + "\nLIMIT " +
                     std::to_string(most) + ") AS ba_rows";
  Result<SqlStatement> question = parse_statement(text, {});
  if (!question || question->node != "SelectStmt") return std::nullopt;
  strip_locations(question->body);
  strip_locations(statement->body);
  try {
    if (asks_of_the_same(question->body, *statement)) return text;
  } catch (const Json::exception&) {  // it has another shape
  }
  return std::nullopt;
}

}  // namespace ba::sql
