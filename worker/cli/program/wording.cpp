// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/wording.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>

#include "pipeline/base/assert.hpp"

namespace ba::cli {
namespace {

constexpr std::size_t kCellLettersMax = 80;

std::size_t letters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

std::string thousands(std::int64_t number) {
  std::string digits = std::to_string(number < 0 ? -number : number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return (number < 0 ? "-" : "") + digits;
}

std::string seconds_text(Microseconds duration) {
  const std::int64_t whole = duration.count() / 1'000'000;
  if (whole >= 3600)
    return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
  if (whole >= 60) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  std::array<char, 32> text{};
  const double seconds = static_cast<double>(duration.count()) / 1e6;
  std::snprintf(text.data(), text.size(), whole < 1 ? "%.2f s" : "%.1f s", seconds);
  return text.data();
}

std::string dollars_text(std::int64_t micro_usd) {
  std::array<char, 48> text{};
  const double dollars = static_cast<double>(micro_usd) / 1e6;
  std::snprintf(text.data(), text.size(), micro_usd < 1'000'000 ? "$%.4f" : "$%.2f", dollars);
  return text.data();
}

std::string counted(std::int64_t number, const char* word) {
  return thousands(number) + " " + word + (number == 1 ? "" : "s");
}

std::string cost_text(std::int64_t micro_usd, bool known) {
  if (known) return dollars_text(micro_usd);
  return micro_usd == 0 ? "cost not known" : "at least " + dollars_text(micro_usd);
}

std::string clock_text(WallTime time) {
  std::string text = to_rfc3339(time).substr(0, 19);
  if (text.size() > 10) text[10] = ' ';
  return text;
}

std::string shortened(std::string_view text, std::size_t letters_max) {
  std::string out;
  std::size_t letters = 0;
  bool blank = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto letter = static_cast<unsigned char>(text[at]);
    if (letter == '\n' || letter == '\t' || letter == ' ' || letter == '\r') {
      blank = !out.empty();
      continue;
    }
    const bool starts_letter = (letter & 0xC0) != 0x80;
    if (starts_letter && letters + (blank ? 1 : 0) >= letters_max) return out + "…";
    if (blank) {
      out += ' ';
      ++letters;
      blank = false;
    }
    if (starts_letter) ++letters;
    out += text[at];
  }
  return out;
}

std::string totals_text(const JobTotals& totals) {
  std::string out = counted(totals.rounds, "round") + " · " + counted(totals.steps, "step") +
                    " · " + counted(totals.tool_calls, "tool call");
  if (totals.tool_calls_failed > 0) out += " (" + thousands(totals.tool_calls_failed) + " failed)";
  out += " · " + thousands(totals.usage.total_input()) + " in / " +
         thousands(totals.usage.output_tokens) + " out tokens";
  out += " · " + cost_text(totals.cost_micro_usd, totals.cost_known);
  if (totals.wasted_model_calls > 0)
    out += " · " + counted(totals.wasted_model_calls, "wasted call");
  return out;
}

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

}  // namespace ba::cli
