#pragma once
// SPDX-License-Identifier: Apache-2.0
// Paths of fields in error messages: "limits.tokens_max", "messages[2]", "metadata[team]".

#include <cstddef>
#include <string>
#include <string_view>

namespace ba {

inline std::string member_path(const std::string& parent, std::string_view name) {
  return parent.empty() ? std::string(name) : parent + "." + std::string(name);
}

inline std::string element_path(const std::string& parent, std::size_t index) {
  return parent + "[" + std::to_string(index) + "]";
}

inline std::string entry_path(const std::string& parent, std::string_view key) {
  return parent + "[" + std::string(key) + "]";
}

}  // namespace ba
