// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/semantic/configured_version.hpp"

#include "pipeline/text/semantic/semantic_key.hpp"

namespace ba {
namespace {

constexpr std::size_t kDigits = 8;

}  // namespace

std::string configured_version(std::string_view version,
                               const std::vector<std::string>& depends_on) {
  std::string all;
  for (const std::string& one : depends_on) all += std::to_string(one.size()) + ":" + one;
  return std::string(version) + "+" + sha256_hex_of(all).substr(0, kDigits);
}

}  // namespace ba
