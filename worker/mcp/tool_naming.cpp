// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/tool_naming.hpp"

#include <algorithm>

#include "pipeline/text/semantic/semantic_key.hpp"

namespace ba::mcp {
namespace {

constexpr std::size_t kNameMax = 64;
constexpr std::size_t kHashDigits = 8;

bool allowed(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

std::string joined(std::string_view server, std::string_view tool) {
  return std::string(server) + "_" + std::string(tool);
}

}  // namespace

std::string exposed_name(std::string_view server, std::string_view tool) {
  std::string name = joined(server, tool);
  if (name.size() <= kNameMax && std::ranges::all_of(name, allowed)) return name;
  return hashed_name(server, tool);
}

std::string hashed_name(std::string_view server, std::string_view tool) {
  std::string name = joined(server, tool);
  const std::string hash = sha256_hex_of(std::string(server) + '\0' + std::string(tool));
  std::ranges::replace_if(
      name, [](char c) { return !allowed(c); }, '_');
  name.resize(std::min(name.size(), kNameMax - kHashDigits - 1));
  return name + "_" + hash.substr(0, kHashDigits);
}

}  // namespace ba::mcp
