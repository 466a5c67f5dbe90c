#pragma once
// SPDX-License-Identifier: Apache-2.0
// A header of TOON (§6 of specification 4.0): `key[3]:`, `[2|]{a|b{c|d}}:`, `users[2:]{age,city}:`.
// Pure function, any thread.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ba {

struct ToonField {
  std::string name;
  std::vector<ToonField> group;  ///< empty: a leaf, one cell in each row
};

struct ToonHeader {
  std::optional<std::string> key;
  std::size_t count = 0;
  bool keyed = false;
  char delimiter = ',';
  std::vector<ToonField> fields;  ///< empty: it has none
  std::size_t leaves = 0;         ///< cells of a row
  std::size_t name_bytes = 0;     ///< of all fields, as they come with each row
  int group_depth = 0;            ///< 1: no field has a group
  std::string_view values;        ///< behind the colon, without spaces at the ends
};

/// What a line is, if it isn't a header, or the header.
struct ToonHeaderReading {
  std::optional<ToonHeader> header;
  std::string problem;  ///< why a line that begins like a header is none; empty: it doesn't
};

ToonHeaderReading read_toon_header(std::string_view content);

}  // namespace ba
