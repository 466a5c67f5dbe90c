// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/repeats.hpp"

#include <utility>

namespace ba {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string without_numbers(std::string_view text) {
  std::string kind;
  for (const char c : text) {
    if (!is_digit(c))
      kind += c;
    else if (kind.empty() || kind.back() != '#')
      kind += '#';
  }
  return kind;
}

}  // namespace

std::optional<std::int64_t> Repeats::tell(std::string_view trouble, SteadyTime now) {
  if (told_.size() >= kKindsMax) told_.clear();
  const auto [told, first] = told_.try_emplace(without_numbers(trouble), Told{now, 0});
  if (first) return 0;
  if (now < told->second.at + quiet_) {
    ++told->second.quiet;
    return std::nullopt;
  }
  told->second.at = now;
  return std::exchange(told->second.quiet, 0);
}

}  // namespace ba
