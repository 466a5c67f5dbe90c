// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/semantic/normal_text.hpp"

#include <utf8proc.h>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

namespace ba {
namespace {

bool ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// White_Space of PropList.txt (Unicode 15).
bool white_space(utf8proc_int32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

utf8proc_option_t options_of(NormalForm form) {
  int options = UTF8PROC_STABLE;
  options |=
      form == NormalForm::Nfc || form == NormalForm::Nfkc ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE;
  if (form == NormalForm::Nfkc || form == NormalForm::Nfkd) options |= UTF8PROC_COMPAT;
  return static_cast<utf8proc_option_t>(options);
}

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

std::string normal_form(std::string_view text, NormalForm form) {
  if (ascii(text)) return std::string(text);
  utf8proc_uint8_t* bytes = nullptr;
  const auto size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &bytes, options_of(form));
  const std::unique_ptr<utf8proc_uint8_t, void (*)(void*)> owner(bytes, std::free);
  if (size < 0) return std::string(text);
  return std::string(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

std::string nfc(std::string_view text) { return normal_form(text, NormalForm::Nfc); }

std::string folded_text(std::string_view given) {
  const std::string text = nfc(given);
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  std::string folded;
  bool gap = false;
  for (std::size_t at = 0; at < text.size();) {
    utf8proc_int32_t point = -1;
    const auto step =
        utf8proc_iterate(bytes + at, static_cast<utf8proc_ssize_t>(text.size() - at), &point);
    const std::size_t size = step > 0 ? static_cast<std::size_t>(step) : 1;
    if (white_space(point)) {
      gap = true;
    } else {
      if (gap && !folded.empty()) folded += ' ';
      gap = false;
      folded.append(text, at, size);
    }
    at += size;
  }
  return folded;
}

bool only_letters_digits_hyphens(std::string_view text) {
  return all_characters(text, [](utf8proc_int32_t c) { return c == '-' || letter_or_digit(c); });
}

bool is_lower_case(std::string_view text) {
  return all_characters(text, [](utf8proc_int32_t c) { return utf8proc_tolower(c) == c; });
}

std::string normal_path(std::string_view given) {
  const std::string path = nfc(given);
  const bool absolute = path.starts_with('/');
  std::vector<std::string_view> segments;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t to = std::min(path.find('/', from), path.size());
    const std::string_view segment = std::string_view(path).substr(from, to - from);
    from = to + 1;
    if (segment.empty() || segment == ".") continue;
    const bool back = segment == ".." && !segments.empty() && segments.back() != "..";
    if (back)
      segments.pop_back();
    else
      segments.push_back(segment);
  }
  std::string normal = absolute ? "/" : "";
  for (std::size_t i = 0; i < segments.size(); ++i)
    normal += (i > 0 ? "/" : "") + std::string(segments[i]);
  return normal.empty() ? "." : normal;
}

}  // namespace ba
