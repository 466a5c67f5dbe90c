#pragma once
// SPDX-License-Identifier: Apache-2.0
// Statements over PostgreSQL's grammar and a database's catalog. First, each by itself, everything
// the catalog has that may do more than compute, in every notation that it can be run by; then
// these and harmless ones composed by chance. A statement depends on the seed and its number alone.
// One thread.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/worker/tools/sql/hunt/catalog.hpp"
#include "tests/worker/tools/sql/hunt/column_statements.hpp"
#include "tests/worker/tools/sql/hunt/hunt_dice.hpp"
#include "tests/worker/tools/sql/hunt/write_targets.hpp"

namespace ba::hunt {

struct Drawn {
  std::string sql;
  bool writes = false;
  std::string changing;  ///< the volatile function that it is drawn for, if it is for one
};

class Generator {
 public:
  /// What it takes outlives it.
  Generator(const Catalog& catalog, const std::vector<Target>& targets, std::uint64_t seed);

  /// How many statements are of the first part.
  std::size_t exhaustive() const { return singles_.size(); }

  Drawn draw(std::uint64_t number) const;

 private:
  enum class Form {
    Call,
    NullCall,
    Attribute,
    Named,
    Variadic,
    From,
    Aggregate,
    Window,
    Filter,
    Within,
    Infix,
    Explicit,
    Domain,
    DomainLiteral,
    DomainRecord,
    RowLiteral,
    Relation,
    Count,
    OfColumn,
    InsertAll,
    InsertLeast,
    InsertConflict,
    Update,
    Delete
  };
  struct Single {
    Form form;
    std::size_t index;
    ColumnUse use = ColumnUse::Equals;  ///< of a column
  };

  void add_functions();
  void add_rest();
  bool drawn_alone(const Function& function) const;

  std::string arguments(const Function& function, Dice& dice, bool nulls) const;
  std::string of_function(Form form, const Function& function, Dice& dice) const;
  std::string of_type(Form form, std::size_t index, Dice& dice) const;
  /// As a scalar expression that may stand anywhere.
  std::string scalar(const Single& single, Dice& dice) const;
  std::string alone(const Single& single, Dice& dice) const;
  std::string written(const Single& single, Dice& dice) const;

  /// As a SELECT that may stand in parentheses.
  std::string of_column(const Single& single, Dice& dice) const;
  std::string expression(Dice& dice, int depth) const;
  std::string typed(const std::string& type, Dice& dice, int depth) const;
  std::string select(Dice& dice, int depth) const;
  std::string select_of_a_column(const std::string& condition, Dice& dice) const;
  std::string write(Dice& dice) const;
  std::string value_for(const Column& column, Dice& dice) const;

  const Catalog& catalog_;
  const std::vector<Target>& targets_;
  std::uint64_t seed_;
  std::vector<Single> singles_;
  std::size_t reads_ = 0;               ///< of the singles: what can stand in an expression, first
  std::vector<std::size_t> immutable_;  ///< functions of PostgreSQL's own, not aggregates
};

}  // namespace ba::hunt
