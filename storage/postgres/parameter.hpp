#pragma once
// SPDX-License-Identifier: Apache-2.0
// Values as a statement takes them: arrays and bytes in PostgreSQL's binary format, everything else
// as text. Values.

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "storage/postgres/array_parameter.hpp"

namespace ba::storage {

/// The value of a bytea.
struct Bytes {
  std::string_view bytes;
};

struct Parameter {
  std::string value;
  bool binary = false;
  bool null = false;
};

inline Parameter to_parameter(std::string text) { return {std::move(text)}; }
inline Parameter to_parameter(std::string_view text) { return {std::string(text)}; }
inline Parameter to_parameter(const char* text) { return {std::string(text)}; }
inline Parameter to_parameter(bool value) { return {value ? "t" : "f"}; }
inline Parameter to_parameter(Bytes value) { return {std::string(value.bytes), true}; }

template <std::integral Number>
Parameter to_parameter(Number number) {
  return {std::to_string(number)};
}

template <PgType kType>
Parameter to_parameter(const PgArray<kType>& array) {
  return {array.encode(), true};
}

template <typename Value>
Parameter to_parameter(const std::optional<Value>& value) {
  if (!value) return {{}, false, true};
  return to_parameter(*value);
}

}  // namespace ba::storage
