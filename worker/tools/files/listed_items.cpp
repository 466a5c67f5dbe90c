// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/listed_items.hpp"

#include "pipeline/base/exact_json.hpp"
#include "worker/tools/files/large_json.hpp"

namespace ba {

ListedItems listed_items(std::int64_t total, const FileSelection& selection,
                         const std::function<nlohmann::ordered_json(std::int64_t)>& at) {
  ListedItems list;
  list.chosen = chosen_items(total, selection);
  const std::string path = path_of_items(selection);
  ResultItems own(selection.bytes_max);
  ResultItems& items = selection.items ? *selection.items : own;
  LargeJson large(selection.value_bytes_max());
  for (const std::int64_t index : list.chosen.indices) {
    const nlohmann::ordered_json value = at(index);
    std::string item = dump_exact(value);
    const std::int64_t left_out = large.left_out();
    if (static_cast<std::int64_t>(item.size()) > selection.value_bytes_max() ||
        !large.shaped(value))
      item = dump_exact(large.shown(value, item_path(path, index)));
    const ResultItems::Added added = items.add(item, list.count == 0);
    if (added == ResultItems::Added::TooLarge)
      list.chosen.cut_by = items.limited_by() + ": " + std::to_string(items.bytes_max());
    if (added != ResultItems::Added::Yes) break;
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

}  // namespace ba
