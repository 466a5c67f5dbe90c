// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "pipeline/text/encoding/table_shape.hpp"
#include "pipeline/text/encoding/toon.hpp"
#include "pipeline/text/encoding/toon_token.hpp"

namespace ba {
namespace {

bool all_primitive(const OrderedJson& array) {
  return std::all_of(array.begin(), array.end(), [](const auto& v) { return v.is_primitive(); });
}

/// Writes one document. A line is begun by begin_line or by a list item's hyphen, and what follows
/// knows only the depth of what stands below it.
class Writer {
 public:
  explicit Writer(const ToonWriting& writing) : writing_(writing) {}

  std::string document(const OrderedJson& value) {
    if (value.is_object())
      root_object(value);
    else if (value.is_array())
      array_after_key(value, 1, value.empty() ? std::string_view("[]") : std::string_view(), true);
    else
      append_toon_primitive(out_, value, writing_.delimiter);
    return std::move(out_);
  }

 private:
  void root_object(const OrderedJson& object) {
    if (const auto shape = table_of_members(object)) return keyed_table(object, *shape, 1);
    members(object, 0);
  }

  void begin_line(int depth) {
    if (!out_.empty()) out_ += '\n';
    out_.append(static_cast<std::size_t>(depth * writing_.indent), ' ');
  }

  void members(const OrderedJson& object, int depth) {
    for (const auto& [key, value] : object.items()) {
      begin_line(depth);
      member(key, value, depth + 1);
    }
  }

  /// On a line that is begun; what doesn't fit on it stands at `below`.
  void member(const std::string& key, const OrderedJson& value, int below) {
    append_toon_key(out_, key);
    if (value.is_object()) {
      if (const auto shape = table_of_members(value)) return keyed_table(value, *shape, below);
      out_ += ':';
      return members(value, below);
    }
    if (value.is_array()) return array_after_key(value, below, ": []", true);
    out_ += ": ";
    append_toon_primitive(out_, value, writing_.delimiter);
  }

  /// `empty`: how an empty array is written here. A table has its place behind a key, or as root.
  void array_after_key(const OrderedJson& array, int below, std::string_view empty,
                       bool may_be_table) {
    if (array.empty()) {
      out_ += empty;
      return;
    }
    if (all_primitive(array)) return inline_array(array);
    if (may_be_table)
      if (const auto shape = table_of_elements(array)) return table(array, *shape, below);
    header(array.size(), false);
    out_ += ':';
    for (const OrderedJson& element : array) item(element, below);
  }

  void header(std::size_t count, bool keyed) {
    out_ += '[' + std::to_string(count);
    if (keyed) out_ += ':';
    if (writing_.delimiter != ',') out_ += writing_.delimiter;
    out_ += ']';
  }

  void inline_array(const OrderedJson& array) {
    header(array.size(), false);
    out_ += ": ";
    bool first = true;
    for (const OrderedJson& value : array) cell(value, first);
  }

  void cell(const OrderedJson& value, bool& first) {
    if (!first) out_ += writing_.delimiter;
    first = false;
    append_toon_primitive(out_, value, writing_.delimiter);
  }

  void fields(const TableShape& shape) {
    out_ += '{';
    bool first = true;
    for (const auto& column : shape.columns()) {
      if (!first) out_ += writing_.delimiter;
      first = false;
      append_toon_key(out_, column.name);
      if (!column.group.empty()) fields(column.group.front());
    }
    out_ += '}';
  }

  void row(const OrderedJson& object, const TableShape& shape) {
    bool first = true;
    shape.for_each_cell(object, [&](const OrderedJson& value) { cell(value, first); });
  }

  void table(const OrderedJson& array, const TableShape& shape, int below) {
    header(array.size(), false);
    fields(shape);
    out_ += ':';
    for (const OrderedJson& object : array) {
      begin_line(below);
      row(object, shape);
    }
  }

  void keyed_table(const OrderedJson& object, const TableShape& shape, int below) {
    header(object.size(), true);
    fields(shape);
    out_ += ':';
    for (const auto& [key, value] : object.items()) {
      begin_line(below);
      append_toon_key(out_, key);
      out_ += ": ";
      row(value, shape);
    }
  }

  /// A list item's fields stand one level below its hyphen, the first one beside it (§10).
  void item(const OrderedJson& value, int depth) {
    begin_line(depth);
    out_ += '-';
    if (value.is_object()) {
      if (!value.empty()) object_item(value, depth);
      return;
    }
    out_ += ' ';
    if (value.is_array())
      array_after_key(value, depth + 1, empty_item(), false);
    else
      append_toon_primitive(out_, value, writing_.delimiter);
  }

  std::string_view empty_item() const {
    if (writing_.delimiter == '\t') return "[0\t]:";
    return writing_.delimiter == '|' ? "[0|]:" : "[0]:";
  }

  void object_item(const OrderedJson& object, int depth) {
    bool first = true;
    for (const auto& [key, value] : object.items()) {
      if (first)
        out_ += ' ';
      else
        begin_line(depth + 1);
      first = false;
      member(key, value, depth + 2);
    }
  }

  const ToonWriting writing_;
  std::string out_;
};

}  // namespace

std::string toon_encode(const OrderedJson& value, const ToonWriting& writing) {
  return Writer(writing).document(value);
}

}  // namespace ba
