#pragma once
// SPDX-License-Identifier: Apache-2.0
// Enumerators and their snake_case names as a table: one place per enum, both directions.

#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace ba {

template <typename Enum, std::size_t N>
using EnumNames = std::array<std::pair<Enum, std::string_view>, N>;

template <typename Enum, std::size_t N>
constexpr std::string_view name_of(const EnumNames<Enum, N>& names, Enum value) {
  for (const auto& [candidate, name] : names)
    if (candidate == value) return name;
  return "unknown";
}

template <typename Enum, std::size_t N>
constexpr std::optional<Enum> value_of(const EnumNames<Enum, N>& names, std::string_view text) {
  for (const auto& [value, name] : names)
    if (name == text) return value;
  return std::nullopt;
}

}  // namespace ba
