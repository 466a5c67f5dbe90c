#pragma once
// SPDX-License-Identifier: Apache-2.0
// The statements of a search. Names of the configuration are quoted; what comes from a call (the
// tenant, the vector) is a parameter. Pure; any thread.

#include <optional>
#include <string>
#include <vector>

#include "worker/tools/vector/vector_search_config.hpp"

namespace ba::vector {

struct VectorOrder {
  VectorIndexConfig index;
  std::string tenant;
  std::vector<double> embedding;
  int results_max = 10;
  std::optional<double> min_score;
};

/// What the catalog says of an index's columns.
struct VectorColumns {
  bool pgvector = false;      ///< the embedding's type; else an array
  std::string type_schema;    ///< where pgvector is installed
  int dimensions = -1;        ///< that pgvector's column is declared with; -1: with none
  bool number_ids = false;    ///< ids are ordered by value
  bool collated_ids = false;  ///< ids are texts: ordered by bytes
};

struct VectorStatement {
  std::string sql;
  std::vector<std::string> parameters;
};

/// As pgvector reads it: "[0.5,-1]".
std::string pgvector_text(const std::vector<double>& numbers);

/// A row each for the columns of the id and of the embedding, where they exist: name, type, the
/// type's schema, modifier, category, whether it has a collation.
VectorStatement columns_statement(const VectorIndexConfig& index);

/// How many rows an exact search would read: at most one more than it may.
VectorStatement count_statement(const VectorOrder& order);

/// Rows of id, text, embedding, metadata, in no order.
VectorStatement exact_statement(const VectorOrder& order);

/// The nearest rows by pgvector: id, text, what its operator gives, metadata.
VectorStatement nearest_statement(const VectorOrder& order, const VectorColumns& columns);

}  // namespace ba::vector
