#pragma once
// SPDX-License-Identifier: Apache-2.0
// May a statement call this function, and may its result be kept? Decided by what the catalog says
// of the function (catalog_facts.hpp), never by how a statement calls it. Pure; any thread.

#include <set>
#include <string>

#include "worker/tools/sql/resolved/catalog_facts.hpp"

namespace ba {

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

}  // namespace ba
