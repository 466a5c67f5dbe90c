#pragma once
// SPDX-License-Identifier: Apache-2.0
// Statements in which a table's column is compared, ordered, hashed, turned into another type or
// planned over: what its type, indexes, partitions and policies run. Values; any thread.

#include <string>

#include "tests/worker/tools/sql/hunt/catalog.hpp"
#include "tests/worker/tools/sql/hunt/hunt_dice.hpp"

namespace ba::hunt {

enum class ColumnUse {
  Equals,
  Text,
  Coalesce,
  Order,
  Group,
  Join,
  In,
  Json,
  Union,      ///< with a value of a type of its own
  Record,     ///< that a function fills
  Row,        ///< likewise, of a subquery
  Aggregate,  ///< into an array
  Count,      ///< of its table's rows, without the column
  Explain
};

/// All of them.
inline constexpr ColumnUse kColumnUses[]{ColumnUse::Equals, ColumnUse::Text,   ColumnUse::Coalesce,
                                         ColumnUse::Order,  ColumnUse::Group,  ColumnUse::Join,
                                         ColumnUse::In,     ColumnUse::Json,   ColumnUse::Union,
                                         ColumnUse::Record, ColumnUse::Row,    ColumnUse::Aggregate,
                                         ColumnUse::Count,  ColumnUse::Explain};

/// A SELECT of one column and few rows; with ColumnUse::Explain its plan.
std::string select_with(const TableColumn& column, ColumnUse use, Dice& dice);

}  // namespace ba::hunt
