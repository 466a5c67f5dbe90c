// SPDX-License-Identifier: Apache-2.0
// What of a file a result has room for, and what is said about that: of file_content.hpp.

#include "pipeline/base/exact_json.hpp"
#include "worker/tools/files/file_content.hpp"
#include "worker/tools/files/json_path.hpp"

namespace ba::files {

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

ListedItems listed_items(std::int64_t total, const FileSelection& selection,
                         const std::function<nlohmann::ordered_json(std::int64_t)>& at) {
  ListedItems list;
  list.chosen = chosen_items(total, selection);
  const std::string path = path_of_items(selection);
  tools::ResultItems own(selection.bytes_max);
  tools::ResultItems& items = selection.items ? *selection.items : own;
  LargeJson large(selection.value_bytes_max());
  for (const std::int64_t index : list.chosen.indices) {
    const nlohmann::ordered_json value = at(index);
    std::string item = dump_exact(value);
    const std::int64_t left_out = large.left_out();
    if (static_cast<std::int64_t>(item.size()) > selection.value_bytes_max() ||
        !large.shaped(value))
      item = dump_exact(large.shown(value, item_path(path, index)));
    const tools::ResultItems::Added added = items.add(item, list.count == 0);
    if (added == tools::ResultItems::Added::TooLarge)
      list.chosen.cut_by = items.limited_by() + ": " + std::to_string(items.bytes_max());
    if (added != tools::ResultItems::Added::Yes) break;
    list.left_out += large.left_out() - left_out;
    ++list.count;
  }
  if (!selection.items) list.json = "[" + own.held() + "]";
  return list;
}

std::string path_of_items(const FileSelection& selection) {
  if (!selection.in_json || selection.json_path.find('*') != std::string::npos) return "";
  return selection.json_path.empty() ? "$" : selection.json_path;
}

void add_left_out(ContentNote& note, std::int64_t count, const FileSelection& selection) {
  if (count == 0) return;
  note.add(counted(static_cast<std::size_t>(count), "part") + " too large for a result of " +
           std::to_string(selection.value_bytes_max()) + " bytes " + (count == 1 ? "is" : "are") +
           " not shown.");
  if (!path_of_items(selection).empty())
    note.add("Read one with the json_path that stands there.");
  else if (selection.in_json)
    note.add("Name one item in json_path instead of *.");
  else
    note.add("Read the file with format text, offset and limit.");
}

}  // namespace ba::files
