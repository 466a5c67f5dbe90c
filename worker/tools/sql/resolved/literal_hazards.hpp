#pragma once
// SPDX-License-Identifier: Apache-2.0
// The one thing that PostgreSQL runs while it only analyses a statement: the text of a literal is
// read at once, and reading an array, a row or a range reads its parts, with the checks of their
// domains. Where a check, or a range's order, calls what may not run here, statements in which a
// text could be read so are refused before the server sees them. By names, so rather too many;
// where no domain has such a check, none. Values; any thread.

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "worker/tools/sql/connection/pg_connection.hpp"

namespace ba::sql {

struct LiteralHazards {
  std::set<std::string> names;      ///< types, functions and tables with such a value, or a part
  std::set<std::string> rows;       ///< tables whose row, as one value, is one
  std::set<std::string> elements;   ///< types whose array is one
  std::set<std::string> operators;  ///< that take or give one, or a part

  /// The system's own, behind which users have put something: an order that arrays and rows of the
  /// type are compared by, a commutator or a negator. By oid.
  std::set<unsigned> extended_types;
  std::set<unsigned> extended_operators;

  bool operator==(const LiteralHazards&) const = default;

  bool any() const { return !names.empty() || !rows.empty() || !elements.empty(); }

  /// Whether a text in the statement may be read as such a value. `body`: of a parsed statement.
  bool in(const nlohmann::json& body) const;
};

/// Asks for them: rows (kind, name).
extern const char* const kLiteralHazards;

class HazardSink final : public RowSink {
 public:
  explicit HazardSink(LiteralHazards& hazards) : hazards_(hazards) {}
  bool row(const Row& row) override;

 private:
  LiteralHazards& hazards_;
};

}  // namespace ba::sql
