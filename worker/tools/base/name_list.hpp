// SPDX-License-Identifier: Apache-2.0
#pragma once
// A set of names that is written as one text, which a page has room for. Pure; any thread.

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace ba::tools {

using NameList = std::unordered_set<std::string_view>;

/// The words of a text that outlives them, with one space between each two.
inline NameList name_list(std::string_view words) {
  NameList names;
  while (!words.empty()) {
    const std::size_t size = std::min(words.find(' '), words.size());
    names.insert(words.substr(0, size));
    words.remove_prefix(std::min(size + 1, words.size()));
  }
  return names;
}

}  // namespace ba::tools
