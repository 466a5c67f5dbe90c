#pragma once
// SPDX-License-Identifier: Apache-2.0
// The chosen rows, items or lines of a file as a JSON array, within the bytes of one result. Pure;
// any thread.

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "worker/tools/files/content_note.hpp"

namespace ba {

struct ListedItems {
  std::string json;  ///< an array; empty where the selection has `items`, which are in them
  std::int64_t count = 0;
  ChosenItems chosen;
  std::int64_t left_out = 0;  ///< parts that a result has no room for
};

/// `at` gives each, in their order. An item that is larger than a result stands with what there is
/// room for (LargeJson), so that there is always one where one is asked for.
ListedItems listed_items(std::int64_t total, const FileSelection& selection,
                         const std::function<nlohmann::ordered_json(std::int64_t)>& at);

/// The json_path of what is listed; empty where none can name its items.
std::string path_of_items(const FileSelection& selection);

/// What is said of parts that are left out; nothing of none.
void add_left_out(ContentNote& note, std::int64_t count, const FileSelection& selection);

}  // namespace ba
