#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a statement is, as the server itself resolved it: every function, operator, type, relation
// and sequence by its oid, with views, row security, defaults and rules put in. Made from the
// server's rewritten tree (node_dump.hpp), or from a stored expression of its catalog. Values; any
// thread.

#include <map>
#include <optional>
#include <set>
#include <string>

#include "worker/tools/sql/resolved/node_dump.hpp"

namespace ba::sql {

using Oid32 = unsigned;

/// Objects up to this were made with the database system itself (FirstNormalObjectId).
inline constexpr Oid32 kFirstUserOid = 16384;

/// nextval(regclass).
inline constexpr Oid32 kNextvalOid = 1574;

/// Who wrote the place where something stands: the statement's author, or the owner of a view, a
/// policy, a default or a check. What both wrote is its author's.
enum class WrittenBy { Author, Owner };
using Uses = std::map<Oid32, WrittenBy>;

struct ResolvedStatement {
  Uses functions;  ///< aggregates, window functions and what operators and casts call among them
  std::set<Oid32> operators;  ///< of users: their functions are in no tree
  std::set<Oid32> types;      ///< of users, and the few of the system that are refused
  std::set<Oid32> system_operators;
  std::set<Oid32> system_types;
  Uses relations;             ///< tables and views, also those behind views
  std::set<Oid32> stored;     ///< of these, those in stored expressions: no rule is put in there
  std::set<Oid32> sequences;  ///< that a nextval() or an identity column advances
  std::set<Oid32> samplers;   ///< methods of TABLESAMPLE
  /// What is written to, with the statement's kind: 2 UPDATE, 3 INSERT, 4 DELETE (CmdType).
  std::map<Oid32, std::set<unsigned>> targets;
  std::map<Oid32, std::set<unsigned>> written_columns;  ///< of each target of an UPDATE, by number

  std::set<Oid32> only;  ///< targets of UPDATE ONLY and DELETE FROM ONLY

  bool locks_rows = false;
  bool asks_for_session = false;  ///< current_user and its like, written by the author
  bool row_security = false;
  bool holds_back = false;        ///< row security or a barrier lets some rows through only
  bool whole_system_row = false;  ///< a row of a system table as one value
  /// Why its result may change while the data stay the same, as far as the tree shows it.
  std::optional<std::string> changes;
  /// What this version does not know, so that nothing can be said; none: all is known.
  std::optional<std::string> unknown;

  bool operator==(const ResolvedStatement&) const = default;

  /// Adds what the server made of the author's statement. InvalidArgument: it can't be read.
  Result<void> add_rewritten(std::string_view dump);

  /// The same of a function's body, which its owner wrote.
  Result<void> add_body(std::string_view dump);

  /// Adds an expression or a body of the catalog, which its owner wrote.
  Result<void> add_stored(std::string_view dump);
};

}  // namespace ba::sql
