// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rows of a search as they arrive, of which the nearest are kept: by score, then by id. Their
// memory is bounded, whatever the number of rows. As the tool's result:
//
//   [{"id":7,"score":0.91,"text":"…","metadata":{"page":3}}]
//
// and a note of what was not searched or left out. How near a stored vector is to that of a query
// is a score that is greater the nearer it is. One thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/vector/vector_search_config.hpp"
#include "worker/tools/vector/vector_sql.hpp"

namespace ba::vector {

/// Reads an array of numbers as the server writes it ("{0.5,-1}") into `numbers`, which keeps its
/// memory from row to row. False: it isn't one of `dimensions` finite numbers.
bool read_stored_vector(std::string_view text, int dimensions, std::vector<double>& numbers);

/// Both of the same length and finite. None: there is no such score (the cosine of a vector of
/// zeros, a sum beyond what a number can hold).
std::optional<double> score_of(VectorDistance distance, const std::vector<double>& query,
                               const std::vector<double>& stored);

/// Of what pgvector's operator for this distance gives. None: it isn't finite.
std::optional<double> score_of_operator(VectorDistance distance, double value);

class NearestRows final : public sql::RowSink {
 public:
  /// Both outlive it; `row_bytes_max` is of the text and the metadata of one row.
  NearestRows(const VectorOrder& order, const VectorColumns& columns, std::int64_t row_bytes_max)
      : order_(order), columns_(columns), row_bytes_max_(row_bytes_max) {}

  void columns(const std::vector<Column>& columns) override;
  bool row(const Row& row) override;
  void oversize() override { row_too_large_ = true; }

  bool too_many_bytes() const { return too_many_bytes_; }  ///< more than read_bytes_max
  bool row_too_large() const { return row_too_large_; }

  struct Answer {
    std::string json;
    std::string note;  ///< empty: nothing to say
  };

  /// At most `bytes_max` of results; what doesn't fit is left out, and the note says so.
  Answer answer(std::int64_t bytes_max) const;

 private:
  struct Found {
    double score = 0;
    std::string id;  ///< as the server writes it
    std::string json;
  };

  bool nearer(const Found& a, const Found& b) const;
  bool wanted(const Found& row) const;
  bool read_score(const Row& row, double& score);
  std::string json_of(const Row& row, double score) const;
  std::string note(std::size_t left_out) const;

  const VectorOrder& order_;
  const VectorColumns& columns_;
  const std::int64_t row_bytes_max_;
  std::vector<Column> names_;
  std::vector<double> stored_;
  std::vector<Found> nearest_;  ///< sorted
  std::int64_t read_bytes_ = 0;
  std::int64_t without_ = 0;   ///< rows that have no embedding
  std::int64_t unusable_ = 0;  ///< rows whose embedding can't be compared
  bool too_many_bytes_ = false;
  bool row_too_large_ = false;
};

}  // namespace ba::vector
