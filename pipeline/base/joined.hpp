#pragma once
// SPDX-License-Identifier: Apache-2.0
// Names in a sentence.

#include <string>
#include <string_view>

namespace ba {

/// The texts one after the other, with `separator` between each two: "a, b, c".
template <typename Texts>
std::string joined(const Texts& texts, std::string_view separator = ", ") {
  std::string all;
  bool first = true;
  for (const std::string_view text : texts) {
    if (!first) all += separator;
    first = false;
    all += text;
  }
  return all;
}

/// The same, or "none" when there are none.
template <typename Texts>
std::string joined_or_none(const Texts& texts) {
  return texts.empty() ? "none" : joined(texts);
}

}  // namespace ba
