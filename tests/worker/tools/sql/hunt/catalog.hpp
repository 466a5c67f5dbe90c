#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a database's catalog has that a statement could run: functions, operators, casts, domains,
// types, in an order that depends on nothing but their names. Read once; values after that.

#include <map>
#include <string>
#include <vector>

#include "tests/worker/tools/sql/hunt/onlooker_session.hpp"

namespace ba::hunt {

struct Function {
  std::string name;        ///< quoted, with its schema
  std::string bare;        ///< quoted, without
  char kind = 'f';         ///< pg_proc.prokind
  char aggregate = 'n';    ///< pg_aggregate.aggkind
  int direct = 0;          ///< arguments of an aggregate that stand before WITHIN GROUP
  bool rows = false;       ///< returns a set
  bool immutable = false;  ///< by its own word
  bool changing = false;   ///< volatile
  bool foreign = false;    ///< somebody's, not PostgreSQL's
  int defaults = 0;
  bool variadic = false;
  std::vector<std::string> types;  ///< of its input
  std::vector<std::string> names;  ///< of its input, where they have some
};

struct Operator {
  std::string name;  ///< OPERATOR(schema.name)
  std::string left;  ///< type; empty: a prefix operator
  std::string right;
  bool immutable = false;
  bool foreign = false;
};

struct Cast {
  std::string from;
  std::string to;
};

/// Of a table or view.
struct TableColumn {
  std::string table;  ///< quoted, with its schema where it needs one
  std::string name;   ///< quoted
  std::string type;
  bool foreign = false;  ///< the table is somebody's, not PostgreSQL's
};

struct Catalog {
  explicit Catalog(Session& admin);

  std::vector<Function> functions;
  std::vector<Operator> operators;
  std::vector<Cast> casts;             ///< by a function that is not PostgreSQL's, or not immutable
  std::vector<std::string> domains;    ///< with a condition
  std::vector<std::string> rows;       ///< composite types that people made, tables apart
  std::vector<std::string> relations;  ///< tables and views, also the catalog's own
  std::vector<TableColumn> columns;    ///< of these
};

}  // namespace ba::hunt
