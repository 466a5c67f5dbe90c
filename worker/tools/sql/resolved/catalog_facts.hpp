// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the catalog of a data source says of the objects that a statement uses: asked by oid, never
// by name. The questions are schema-qualified and meant for a session whose search_path is
// pg_catalog alone. Values; any thread.

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "worker/tools/base/cancellation.hpp"
#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/resolved/resolved_statement.hpp"

namespace ba::sql {

struct FunctionFact {
  std::string schema;
  std::string name;
  char volatility = 'v';  ///< i, s or v
  std::string language;   ///< c, internal, sql, plpgsql, …
  bool aggregate = false;
  bool has_body = false;  ///< whether its body is among the dumps: it is known what it calls

  std::string qualified() const { return schema + "." + name; }
};

/// A body that is stored as text, as a statement with parameters.
struct TextBody {
  Oid32 function = 0;
  std::string statement;
  std::vector<Oid32> parameter_types;
  std::set<std::string> replaced;  ///< names that stood where the parameters stand
};

struct RelationFact {
  std::string schema;
  std::string name;
  char kind = 'r';              ///< as pg_class.relkind
  bool from_elsewhere = false;  ///< it, or a part of it, is a foreign table
  bool has_parts = false;       ///< partitions, or tables that inherit
  bool unreadable = false;      ///< the role may not read it, or not all of its columns
  bool row_security = false;
  bool barrier = false;         ///< a view with security_barrier
  bool runs_a_program = false;  ///< of these one whose rows a program on the server writes

  std::string qualified() const { return schema + "." + name; }
};

/// What is known so far; one per connection for the system's own objects, one per statement for
/// all others.
struct CatalogFacts {
  std::map<Oid32, FunctionFact> functions;
  std::map<Oid32, RelationFact> relations;
  std::map<Oid32, std::string> samplers;
  /// Types of users that a function runs for where a body gives one as another type.
  std::set<Oid32> cast_sources;
};

/// A prepared statement's name, and its parameters.
struct CatalogQuery {
  std::string name;
  std::vector<std::string> parameters;
};

/// Objects whose facts are wanted.
struct CatalogQuestion {
  std::set<Oid32> functions;
  std::set<Oid32> operators;  ///< of users
  std::set<Oid32> types;      ///< of users
  std::set<Oid32> relations;
  std::set<Oid32> views;  ///< whose definitions are wanted

  bool empty() const {
    return functions.empty() && operators.empty() && types.empty() && relations.empty() &&
           views.empty();
  }
  std::vector<CatalogQuery> queries() const;
};

/// The statements that answer questions, with the name of each.
const std::vector<std::pair<std::string, std::string>>& catalog_statements();

/// Takes the answer: facts, functions that stand behind the ones asked for (of operators,
/// aggregates, types, partitions), types of aggregates' states, and dumps of stored expressions
/// to be read in their turn.
class FactsSink final : public RowSink {
 public:
  explicit FactsSink(CatalogFacts& facts) : facts_(facts) {}

  bool row(const Row& row) override;
  void oversize() override { complete = false; }

  std::set<Oid32> functions;
  std::set<Oid32> types;
  std::set<Oid32> operators;
  std::vector<std::string> dumps;
  std::vector<TextBody> bodies;
  bool complete = true;  ///< false: an answer was too large, so that nothing is known

 private:
  void take_body(Oid32 function, const std::string& name, const std::string& described);

  CatalogFacts& facts_;
};

/// Puts questions of ours to a data source's catalog: under a search_path of their own, which ends
/// with them, within the transaction that is open or in one of their own. Owned by a StatementJudge
/// and used by its thread.
class CatalogReader {
 public:
  using Clock = PgConnection::Clock;
  using Failure = PgConnection::Failure;
  using Message = PgConnection::Message;

  /// `connection` outlives it.
  explicit CatalogReader(PgConnection& connection) : connection_(connection) {}

  /// For a new connection. `questions`: SQL by name. `pooled`: nothing that is prepared is there in
  /// the next transaction; a question then takes the place of the statement without a name.
  void reset(bool pooled, std::map<std::string, std::string> questions);

  /// Messages that prepare the questions, in the transaction that is open then. They are planned
  /// once: under the path in which they are asked.
  std::vector<Message> preparing() const;

  /// `opening`: messages of ours that open a transaction, where none is open: whose rights are
  /// told.
  Failure ask(const std::vector<CatalogQuery>& questions, const std::vector<Message>& opening,
              const SqlWait& until, RowSink& sink);

  /// A question without a name.
  Failure ask(const std::string& sql, const SqlWait& until, RowSink& sink);

 private:
  Message message_of(const CatalogQuery& question) const;
  Failure enclosed(std::vector<Message> opening, const std::vector<Message>& questions,
                   const SqlWait& until, RowSink& sink);

  PgConnection& connection_;
  bool pooled_ = false;
  std::map<std::string, std::string> questions_;
};

}  // namespace ba::sql
