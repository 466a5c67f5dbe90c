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
// There the count is left out for one row, where it could be taken for the answer. Many rows are
// put away in chunks where there is a store for them (result_items.hpp). One thread.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "worker/tools/base/result_items.hpp"
#include "worker/tools/sql/connection/pg_connection.hpp"

namespace ba {

class RowJson final : public RowSink {
 public:
  RowJson(int row_limit, std::int64_t bytes_max, ResultRoom room = {})
      : row_limit_(row_limit), items_(bytes_max, room) {}

  /// Says in the note whose limit that of the rows is.
  void row_limit_is(std::string key) { row_limit_key_ = std::move(key); }

  void columns(const std::vector<Column>& columns) override;
  bool row(const Row& row) override;
  void oversize() override;

  bool truncated() const { return stopped_; }
  bool begun() const { return items_.count() > 0 || stopped_; }
  const std::string& note() const { return note_; }               ///< empty: nothing was cut
  std::string json() const { return "[" + items_.held() + "]"; }  ///< without a store: the array
  std::string json_with_note() const;

  /// The rows and the note. Last of all.
  void finish(RawToolResult& result);

 private:
  bool too_large(std::int64_t row_bytes) const;

  int row_limit_;
  std::string row_limit_key_;
  ResultItems items_;
  std::vector<std::string> keys_;  ///< quoted
  std::vector<unsigned> types_;
  std::string note_;
  bool stopped_ = false;
};

}  // namespace ba
