// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/json_shape.hpp"

#include <algorithm>
#include <array>

namespace ba {
namespace {

/// The place of the quote that ends the string which begins at `at`, or the end of the text.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return at;
}

}  // namespace

JsonShape json_shape(std::string_view text) {
  JsonShape shape;
  std::array<std::size_t, kJsonDepthMax + 1> colons{};  // an object has one for each member
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      i = string_end(text, i);
    } else if (c == '[' || c == '{') {
      shape.depth = std::max(shape.depth, ++depth);
      if (depth > 0 && depth <= kJsonDepthMax) colons[static_cast<std::size_t>(depth)] = 0;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ':' && depth > 0 && depth <= kJsonDepthMax) {
      shape.members = std::max(shape.members, ++colons[static_cast<std::size_t>(depth)]);
    }
  }
  return shape;
}

std::string json_shape_limits() {
  return "at most " + std::to_string(kJsonDepthMax) + " levels and " +
         std::to_string(kJsonMembersMax) + " members an object";
}

std::string kept_as_text_note() {
  return "What is nested or wide beyond " + json_shape_limits() + " is given as its text.";
}

}  // namespace ba
