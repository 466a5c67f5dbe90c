// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/artifact_file.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "pipeline/text/message/json_view.hpp"

namespace ba::files {
namespace {

/// Quoted where it holds what separates fields or rows, or begins or ends with a blank.
void append_field(std::string& csv, std::string_view text) {
  const bool blank = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (!blank && text.find_first_of(",\"\r\n") == text.npos) {
    csv += text;
    return;
  }
  csv += '"';
  for (const char c : text) {
    if (c == '"') csv += '"';
    csv += c;
  }
  csv += '"';
}

bool among_digits(char c) { return c >= '0' && c <= '9'; }

/// As data sources write numbers: -12.50, +1e-7, -Infinity.
bool is_number(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text == "Infinity") return true;
  const auto digits = [&text] {
    const std::size_t count = std::ranges::find_if_not(text, among_digits) - text.begin();
    text.remove_prefix(count);
    return count > 0;
  };
  bool any = digits();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    any = digits() || any;
  }
  if (!any) return false;
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return digits() && text.empty();
}

/// Also where a spreadsheet takes a semicolon or a tab for the end of a cell.
std::string without_formulas(std::string_view text) {
  std::string cell = text.starts_with('\t') ? "'" : "";
  while (true) {
    const std::size_t end = std::min(text.find_first_of(";\t"), text.size());
    const std::string_view part = text.substr(0, end);
    if (looks_like_formula(part)) cell += '\'';
    cell += part;
    if (end >= text.size()) return cell;
    cell += text[end];
    text.remove_prefix(end + 1);
  }
}

bool is_rows(JsonView data) {
  bool rows = false;
  bool all = true;
  data.for_each_element([&](JsonView row) {
    rows = true;
    all = all && row.is(JsonKind::Object);
  });
  return rows && all;
}

/// The text of a key, which a view gives as it is written.
std::string name_of_key(std::string_view raw_key) {
  return JsonView::of_proven('"' + std::string(raw_key) + '"').text();
}

class Csv {
 public:
  Csv(JsonView rows, std::size_t bytes_max, FormulaCells formulas)
      : bytes_max_(bytes_max), formulas_(formulas) {
    rows.for_each_element([this](JsonView row) { add_columns(row); });
    for (const std::string& column : columns_) append_text(name_of_key(column));
    end_row();
    rows.for_each_element([this](JsonView row) {
      if (!too_large()) add_row(row);
    });
  }
  bool too_large() const { return text_.size() > bytes_max_; }
  std::string text() && { return std::move(text_); }
  std::size_t made_text() const { return made_text_; }

 private:
  void add_columns(JsonView row) {
    row.for_each_member([this](std::string_view key, JsonView) {
      if (places_.emplace(key, columns_.size()).second) columns_.emplace_back(key);
    });
  }

  void add_row(JsonView row) {
    std::vector<JsonView> cells(columns_.size());
    row.for_each_member(
        [&](std::string_view key, JsonView value) { cells[places_.find(key)->second] = value; });
    // One empty cell alone would be a blank line, which readers skip.
    if (cells.size() == 1 && (cells[0].absent() || cells[0].raw() == "\"\"")) {
      text_ += "\"\"\r\n";
      return;
    }
    for (const JsonView cell : cells) {
      if (cell.absent())
        append_cell("");
      else if (cell.is(JsonKind::String))
        append_text(cell.text());
      else
        append_cell(cell.raw());
    }
    end_row();
  }

  void append_text(const std::string& text) {
    if (formulas_ == FormulaCells::Keep) return append_cell(text);
    std::string cell = without_formulas(text);
    if (cell != text) ++made_text_;
    append_cell(cell);
  }

  void append_cell(std::string_view cell) {
    if (!first_) text_ += ',';
    first_ = false;
    append_field(text_, cell);
  }

  void end_row() {
    text_ += "\r\n";
    first_ = true;
  }

  std::size_t bytes_max_;
  FormulaCells formulas_;
  std::size_t made_text_ = 0;
  std::string text_;
  bool first_ = true;
  std::vector<std::string> columns_;  ///< keys as they are written
  std::map<std::string, std::size_t, std::less<>> places_;
};

}  // namespace

bool looks_like_formula(std::string_view text) {
  // Also as they are written at full width.
  for (const std::string_view first :
       {"=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"})
    if (text.starts_with(first)) return !is_number(text);
  return false;
}

ArtifactFile artifact_file(std::string_view data, bool csv, std::size_t csv_bytes_max,
                           FormulaCells formulas) {
  const JsonView view = JsonView::of_proven(data);
  ArtifactFile file;
  if (view.is(JsonKind::String)) {
    file.form = ArtifactForm::Text;
    file.content = view.text();
  } else if (!csv || !is_rows(view)) {
    file.content = std::string(view.raw()) + "\n";
  } else {
    Csv rows(view, csv_bytes_max, formulas);
    file.form = ArtifactForm::Csv;
    file.cut = rows.too_large();
    file.made_text = rows.made_text();
    file.content = std::move(rows).text();
  }
  return file;
}

}  // namespace ba::files
