// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/observed_data.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "pipeline/base/exact_json.hpp"

namespace ba::scripted {
namespace {

using Json = nlohmann::json;

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

/// At commas that don't stand in quotes.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      cells.push_back(line.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  cells.push_back(line.substr(begin));
  return cells;
}

/// What isn't written like a number, a word of JSON or in quotes is a bare text.
Json value_of(std::string_view cell) {
  const Json value = parse_exact<Json>(cell);
  return value.is_discarded() || value.is_structured() ? Json(std::string(cell)) : value;
}

std::optional<Json> table(std::string_view text) {
  std::string_view head = take_line(text);
  const std::size_t names = head.find("]{");
  if (!head.starts_with('[') || names == std::string_view::npos || !head.ends_with("}:"))
    return std::nullopt;
  head = head.substr(names + 2, head.size() - names - 4);
  const auto columns = cells_of(head);
  Json rows = Json::array();
  while (text.starts_with("  ")) {
    const auto cells = cells_of(take_line(text).substr(2));
    Json row = Json::object();
    for (std::size_t i = 0; i < std::min(columns.size(), cells.size()); ++i) {
      const Json name = value_of(columns[i]);
      row[name.is_string() ? name.get<std::string>() : std::string(columns[i])] =
          value_of(cells[i]);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::optional<Json> observed_data(const std::string& text) {
  if (auto rows = table(text)) return rows;
  std::size_t end = text.size();
  // Line by line from the end: all of it mostly, or what stands above a note.
  for (int tries = 0; tries < 20 && end != std::string::npos; ++tries) {
    Json value = parse_exact<Json>(std::string_view(text).substr(0, end));
    if (!value.is_discarded()) return value;
    end = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
  }
  return std::nullopt;
}

}  // namespace ba::scripted
