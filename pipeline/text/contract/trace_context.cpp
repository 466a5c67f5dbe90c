// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/trace_context.hpp"

#include <algorithm>

namespace ba {
namespace {

bool lower_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool all_zero(std::string_view text) {
  return text.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

bool valid_traceparent(std::string_view text) {
  constexpr std::size_t kLength = 55;  // 2-32-16-2
  if (text.size() < kLength || text.size() > 256) return false;
  const std::string_view version = text.substr(0, 2);
  if (!lower_hex(version) || version == "ff") return false;
  if (text.size() > kLength && (version == "00" || text[kLength] != '-')) return false;
  const std::string_view trace = text.substr(3, 32);
  const std::string_view parent = text.substr(36, 16);
  const bool dashes = text[2] == '-' && text[35] == '-' && text[52] == '-';
  return dashes && lower_hex(trace) && lower_hex(parent) && lower_hex(text.substr(53, 2)) &&
         !all_zero(trace) && !all_zero(parent) && valid_tracestate(text);
}

bool valid_tracestate(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

}  // namespace ba
