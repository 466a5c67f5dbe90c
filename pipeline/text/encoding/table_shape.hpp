#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether objects are alike enough to be the rows of one table (TOON specification 4.0, §9.3): the
// same names in all of them, and below each name primitives only, or again objects that are alike.
// A shape points into the first object, which must outlive it. Values, any thread.

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pipeline/text/encoding/json_document.hpp"

namespace ba {

class TableShape {
 public:
  struct Column {
    std::string_view name;
    std::vector<TableShape> group;  ///< empty: a primitive; else the one shape of its objects
  };

  /// None when no table can have such a row: it is empty, or holds an array or empty object.
  static std::optional<TableShape> of(const OrderedJson& object);

  bool fits(const OrderedJson& value) const;

  /// Calls `cell` with each primitive of an object that fits, in the order of the columns.
  void for_each_cell(const OrderedJson& object,
                     const std::function<void(const OrderedJson&)>& cell) const;

  const std::vector<Column>& columns() const { return columns_; }

 private:
  std::size_t column_of(std::size_t place, std::string_view name) const;

  std::vector<Column> columns_;
  mutable std::unordered_map<std::string_view, std::size_t> index_;  // made when first needed
};

/// The shape of all elements of an array; none: it is no table.
std::optional<TableShape> table_of_elements(const OrderedJson& array);

/// The shape of all values of an object of two members or more; none: it is no table.
std::optional<TableShape> table_of_members(const OrderedJson& object);

}  // namespace ba
