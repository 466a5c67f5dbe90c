// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/table.hpp"

#include <algorithm>
#include <ostream>

#include "pipeline/base/assert.hpp"
#include "worker/cli/program/wording.hpp"

namespace ba {
namespace {

constexpr std::size_t kCellLettersMax = 80;

std::size_t letters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

Table::Table(std::vector<std::string> heading) { rows_.push_back(std::move(heading)); }

void Table::add(std::vector<std::string> cells) {
  BA_ASSERT(cells.size() == rows_.front().size());
  for (std::string& cell : cells) cell = printable(shortened(cell, kCellLettersMax));
  rows_.push_back(std::move(cells));
}

void Table::write(Terminal& terminal) const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], letters(row[i]));
  for (const auto& row : rows_) {
    std::string line;
    std::string gap;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i].empty()) {
        gap.append(widths[i] + 2, ' ');
        continue;
      }
      line += gap + row[i];
      gap.assign(widths[i] - letters(row[i]) + 2, ' ');
    }
    terminal.out() << (&row == &rows_.front() ? terminal.styled(Style::Bold, line) : line) << "\n";
  }
}

}  // namespace ba
