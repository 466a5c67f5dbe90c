// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/members.hpp"

#include <algorithm>
#include <cstdint>

namespace ba::scripted {

JsonValue stray_member(const JsonValue& object, std::span<const std::string_view> allowed) {
  std::uint64_t seen = 0;
  JsonValue member = object.first();
  for (std::uint32_t left = object.size(); left > 0; --left, member = member.next()) {
    const auto name = std::find(allowed.begin(), allowed.end(), member.raw_key());
    if (name == allowed.end()) return member;
    const std::uint64_t bit = std::uint64_t{1} << (name - allowed.begin());
    if ((seen & bit) != 0) return member;
    seen |= bit;
  }
  return {};
}

}  // namespace ba::scripted
