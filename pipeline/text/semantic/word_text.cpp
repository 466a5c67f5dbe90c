// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/semantic/word_text.hpp"

#include <utf8proc.h>

namespace ba {
namespace {

bool letter_or_digit(utf8proc_int32_t c) {
  switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return true;
    default:
      return false;
  }
}

template <typename Test>
bool all_characters(std::string_view text, Test test) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  auto left = static_cast<utf8proc_ssize_t>(text.size());
  while (left > 0) {
    utf8proc_int32_t character = 0;
    const utf8proc_ssize_t length = utf8proc_iterate(bytes, left, &character);
    if (length <= 0 || !test(character)) return false;
    bytes += length;
    left -= length;
  }
  return true;
}

}  // namespace

bool only_letters_digits_hyphens(std::string_view text) {
  return all_characters(text, [](utf8proc_int32_t c) { return c == '-' || letter_or_digit(c); });
}

bool is_lower_case(std::string_view text) {
  return all_characters(text, [](utf8proc_int32_t c) { return utf8proc_tolower(c) == c; });
}

}  // namespace ba
