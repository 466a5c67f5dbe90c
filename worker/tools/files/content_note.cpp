// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/content_note.hpp"

#include <algorithm>

namespace ba {

void ContentNote::add_bad_rows(std::size_t count, const std::vector<BadRow>& first) {
  if (count == 0) return;
  std::string lines;
  for (const BadRow& bad : first)
    lines +=
        (lines.empty() ? "" : "; ") + ("line " + std::to_string(bad.line)) + ": " + bad.problem;
  add(counted(count, "row") + " left out (" + lines + (count > first.size() ? "; …" : "") + ").");
}

std::string ContentNote::text() const {
  std::string text = text_;
  if (!read_as_.empty()) text += (text.empty() ? "" : " ") + ("read_as: " + read_as_) + ".";
  for (char& c : text)
    if (c >= 0 && c < ' ') c = ' ';  // names of columns may have line ends
  return text;
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

ChosenItems chosen_items(std::int64_t total, const FileSelection& selection) {
  const std::int64_t first = std::min(selection.offset, total);
  const std::int64_t left = total - first;
  const std::int64_t range = selection.limit < 0 ? left : std::min(selection.limit, left);
  ChosenItems chosen;
  chosen.wanted = selection.sample > 0 ? std::min(selection.sample, range) : range;
  const std::int64_t count = std::min(chosen.wanted, selection.row_limit);
  if (count < chosen.wanted) chosen.cut_by = "row_limit: " + std::to_string(count);
  for (std::int64_t i = 0; i < count; ++i)
    chosen.indices.push_back(first + (selection.sample > 0 ? i * range / chosen.wanted : i));
  return chosen;
}

void add_range(ContentNote& note, std::int64_t count, const ChosenItems& chosen, std::int64_t total,
               const FileSelection& selection, const std::string& what) {
  if (count == total) return;
  const bool cut = count < chosen.wanted;
  const std::int64_t first = std::min(selection.offset, total);
  note.add((count == 0 ? "None" : (cut ? "Only " : "") + std::to_string(count)) + " of " +
           counted(static_cast<std::size_t>(total), what) +
           (selection.sample > 0 ? ", evenly spaced" : "") + ", from offset " +
           std::to_string(first) + " on.");
  if (!cut) return;
  note.add("More are not read at once" + (chosen.cut_by.empty() ? "" : " (" + chosen.cut_by + ")") +
           (selection.sample > 0 || count == 0
                ? "."
                : "; go on with offset " + std::to_string(first + count) + ", or sample."));
}

}  // namespace ba
