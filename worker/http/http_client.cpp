// SPDX-License-Identifier: Apache-2.0
#include "worker/http/http_client.hpp"

#include <algorithm>

namespace ba::http {

std::string_view HttpHead::header(std::string_view lower_case_name) const {
  for (const auto& [name, value] : headers)
    if (name == lower_case_name) return value;
  return {};
}

bool is_header_name(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::ranges::all_of(name, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != kMarks.npos;
  });
}

bool is_header_value(std::string_view value) {
  return std::ranges::none_of(
      value, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
}

bool same_header_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace ba::http
