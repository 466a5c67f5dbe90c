#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the catalog of a data source says of the objects that a statement uses: asked by oid, never
// by name. The questions are schema-qualified and meant for a session whose search_path is
// pg_catalog alone. Values; any thread.

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/resolved/resolved_statement.hpp"

namespace ba {

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

  void columns(const std::vector<Column>&) override {}
  bool row(const Row& row) override;
  void oversize() override { complete_ = false; }

  /// False: an answer was too large, so that nothing is known.
  bool complete() const { return complete_; }
  const std::set<Oid32>& functions() const { return functions_; }
  const std::set<Oid32>& types() const { return types_; }
  const std::set<Oid32>& operators() const { return operators_; }
  const std::vector<std::string>& dumps() const { return dumps_; }
  const std::vector<TextBody>& bodies() const { return bodies_; }

 private:
  void take_body(Oid32 function, const std::string& name, const std::string& described);

  CatalogFacts& facts_;
  std::set<Oid32> functions_;
  std::set<Oid32> types_;
  std::set<Oid32> operators_;
  std::vector<std::string> dumps_;
  std::vector<TextBody> bodies_;
  bool complete_ = true;
};

}  // namespace ba
