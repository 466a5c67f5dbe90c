#pragma once
// SPDX-License-Identifier: Apache-2.0
// Rows of a query as JSON, within limits: an array of objects, and beside it a note of what was
// cut. Columns keep their order; the second `x` of a row is `x_2`. What a write returns is part of
// a larger result, and has the note within:
//
//   {"rows":[{"count":336776}]}                                         one row
//   {"row_count":2,"rows":[{"carrier":"AA","n":3},{"carrier":"UA","n":4}]}
//   {"row_count":1000,"truncated":true,"note":"Only the first …","rows":[…]}
//
// There the count is left out for one row, where it could be taken for the answer. One thread.

#include <cstdint>
#include <string>
#include <vector>

#include "worker/tools/pg_connection.hpp"

namespace ba {

class RowJson final : public RowSink {
 public:
  RowJson(int row_limit, std::int64_t bytes_max) : row_limit_(row_limit), bytes_max_(bytes_max) {}

  void columns(const std::vector<Column>& columns) override;
  bool row(const Row& row) override;
  void oversize() override;

  bool truncated() const { return !note_.empty(); }
  const std::string& note() const { return note_; }  ///< empty: nothing was cut
  std::string json() const;                          ///< the array
  std::string json_with_note() const;

 private:
  int row_limit_;
  std::int64_t bytes_max_;
  std::vector<std::string> keys_;  ///< quoted
  std::vector<unsigned> types_;
  std::string rows_;
  int count_ = 0;
  std::string note_;
};

}  // namespace ba
