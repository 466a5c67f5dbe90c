// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/encoding/table_shape.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace ba {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

const OrderedJson::object_t& members_of(const OrderedJson& object) {
  return object.get_ref<const OrderedJson::object_t&>();
}

}  // namespace

std::optional<TableShape> TableShape::of(const OrderedJson& object) {
  if (!object.is_object() || object.empty()) return std::nullopt;
  TableShape shape;
  for (const auto& [name, value] : members_of(object)) {
    Column& column = shape.columns_.emplace_back();
    column.name = name;
    if (value.is_primitive()) continue;
    auto group = of(value);
    if (!group) return std::nullopt;
    column.group.push_back(std::move(*group));
  }
  return shape;
}

/// Mostly the column that stands where the member does; names in another order are looked up.
std::size_t TableShape::column_of(std::size_t place, std::string_view name) const {
  if (columns_[place].name == name) return place;
  if (index_.empty())
    for (std::size_t i = 0; i < columns_.size(); ++i) index_.emplace(columns_[i].name, i);
  const auto known = index_.find(name);
  return known == index_.end() ? kNone : known->second;
}

bool TableShape::fits(const OrderedJson& value) const {
  if (!value.is_object() || value.size() != columns_.size()) return false;
  std::size_t place = 0;
  for (const auto& [name, member] : members_of(value)) {
    const std::size_t i = column_of(place++, name);
    if (i == kNone) return false;
    const std::vector<TableShape>& group = columns_[i].group;
    if (group.empty() ? !member.is_primitive() : !group.front().fits(member)) return false;
  }
  return true;
}

void TableShape::for_each_cell(const OrderedJson& object,
                               const std::function<void(const OrderedJson&)>& cell) const {
  std::vector<const OrderedJson*> values(columns_.size());
  std::size_t place = 0;
  for (const auto& [name, member] : members_of(object)) values[column_of(place++, name)] = &member;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].group.empty())
      cell(*values[i]);
    else
      columns_[i].group.front().for_each_cell(*values[i], cell);
  }
}

std::optional<TableShape> table_of_elements(const OrderedJson& array) {
  if (array.empty()) return std::nullopt;
  auto shape = TableShape::of(array.front());
  if (!shape) return std::nullopt;
  for (const OrderedJson& element : array)
    if (!shape->fits(element)) return std::nullopt;
  return shape;
}

std::optional<TableShape> table_of_members(const OrderedJson& object) {
  if (object.size() < 2) return std::nullopt;
  auto shape = TableShape::of(members_of(object).front().second);
  if (!shape) return std::nullopt;
  for (const auto& [name, value] : members_of(object))
    if (!shape->fits(value)) return std::nullopt;
  return shape;
}

}  // namespace ba
