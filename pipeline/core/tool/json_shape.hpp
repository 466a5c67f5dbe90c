#pragma once
// SPDX-License-Identifier: Apache-2.0
// How deep JSON text is nested and how wide its objects are, found without recursion and without
// building anything, so that text from outside can be refused before a parser meets it that
// recurses, or that looks each new name up among all earlier ones. Any thread.

#include <cstddef>
#include <string>
#include <string_view>

namespace ba {

inline constexpr int kJsonDepthMax = 64;
inline constexpr std::size_t kJsonMembersMax = 4096;

struct JsonShape {
  int depth = 0;            ///< the greatest number of open brackets at any place outside strings
  std::size_t members = 0;  ///< of the object that has most

  bool within_limits() const { return depth <= kJsonDepthMax && members <= kJsonMembersMax; }
};

/// The text need not be valid.
JsonShape json_shape(std::string_view text);

/// "at most 64 levels and 4096 members an object", for messages.
std::string json_shape_limits();

/// What is said of data that is beyond them, and is given as the text that it is written as.
std::string kept_as_text_note();

}  // namespace ba
