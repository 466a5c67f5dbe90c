#pragma once
// SPDX-License-Identifier: Apache-2.0
// The first column of each row as a line, in order. One thread.

#include <string>
#include <vector>

#include "worker/tools/sql/connection/pg_connection.hpp"

namespace ba {

class RowLines final : public RowSink {
 public:
  /// `lines` outlives it.
  explicit RowLines(std::vector<std::string>& lines) : lines_(lines) {}
  void columns(const std::vector<Column>&) override {}
  bool row(const Row& row) override {
    lines_.push_back(std::string(row.at(0).value_or("")));
    return true;
  }
  void oversize() override {}

 private:
  std::vector<std::string>& lines_;
};

}  // namespace ba
