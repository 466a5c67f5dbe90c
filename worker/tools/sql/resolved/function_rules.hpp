// SPDX-License-Identifier: Apache-2.0
#pragma once
// May a statement call this function, and may its result be kept? Decided by what the catalog says
// of the function (catalog_facts.hpp), never by how a statement calls it. And its body, where it is
// of language sql and stored as text, as a statement that a server can be asked to analyse: what
// names of arguments stand for becomes $1, $2, … Pure; any thread.

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "worker/tools/sql/resolved/catalog_facts.hpp"

namespace ba::sql {

enum class FunctionStanding {
  Kept,     ///< the same result for the same data
  NotKept,  ///< harmless; its result changes by itself, or what it depends on can't be seen
  Changes,  ///< volatile: it may change data, wait, or look outside
  Outside,  ///< tells of other sessions, of roles or of the server
  Unseen,   ///< of a user, in a language whose text nobody can resolve
};

/// `allowed`: functions that an operator vouches for, as schema.name.
FunctionStanding standing_of(Oid32 oid, const FunctionFact& fact, WrittenBy by,
                             const std::set<std::string>& allowed);

/// `names`: of the arguments, in order; empty where one has none. None where the body is not one
/// SELECT, so that what it does can't be seen. `replaced`: gets the names that are no longer there,
/// of arguments, and the function's where it stood before one.
std::optional<std::string> body_as_statement(const std::string& body, const std::string& function,
                                             const std::vector<std::string>& names,
                                             std::set<std::string>* replaced = nullptr);

/// Whether one of these names may be a column or an alias in a body that the server has analysed as
/// `tree`: that is what it means then, rather than an argument.
bool may_mean_columns(const std::set<std::string>& names, std::string_view tree);

}  // namespace ba::sql
