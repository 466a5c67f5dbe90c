#pragma once
// SPDX-License-Identifier: Apache-2.0
// Names that nobody else makes: of a job, a conversation or a call that was given none. Any thread.

#include <array>
#include <cstdio>
#include <random>
#include <string>

namespace ba {

/// The prefix and 16 digits 0-9a-f.
inline std::string random_name(const std::string& prefix) {
  std::random_device device;
  std::array<char, 20> digits{};
  std::snprintf(digits.data(), digits.size(), "%08x%08x", device(), device());
  return prefix + digits.data();
}

}  // namespace ba
