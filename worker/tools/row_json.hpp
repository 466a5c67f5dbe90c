#pragma once
// SPDX-License-Identifier: Apache-2.0
// Rows of a query as the JSON of a tool result, within limits:
//
//   {"rows":[{"count":336776}]}                                         one row
//   {"row_count":2,"rows":[{"carrier":"AA","n":3},{"carrier":"UA","n":4}]}
//   {"row_count":1000,"truncated":true,"note":"Only the first …","rows":[…]}
//
// Always an object, so that STANDARD shows its beginning: `row_count` (left out for one row, where
// it could be taken for the answer) and the mark of a cut stand before the rows. Columns keep their
// order; the second `x` of a row is `x_2`. One thread.

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
  std::string json() const;

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
