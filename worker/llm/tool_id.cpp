// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/tool_id.hpp"

#include <algorithm>

namespace ba {
namespace {

constexpr std::string_view kMarker = "hex-id_";
constexpr std::size_t kNameBytesMax = 64;
constexpr std::string_view kDigits = "0123456789abcdef";

bool allowed(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

bool marked(std::string_view id) { return id.substr(0, kMarker.size()) == kMarker; }

}  // namespace

bool needs_wire_form(std::string_view id) {
  return marked(id) || !std::all_of(id.begin(), id.end(), allowed);
}

std::string wire_tool_id(std::string_view id) {
  if (!needs_wire_form(id)) return std::string(id);
  std::string wire(kMarker);
  for (const char c : id) {
    const auto byte = static_cast<unsigned char>(c);
    wire += kDigits[byte >> 4];
    wire += kDigits[byte & 15];
  }
  return wire;
}

std::string wire_tool_name(std::string_view name) {
  std::string wire(name.substr(0, kNameBytesMax));
  std::replace_if(
      wire.begin(), wire.end(), [](char c) { return !allowed(c); }, '_');
  return wire.empty() ? "_" : wire;
}

}  // namespace ba
