#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the tests of memory have in common: so many of a kind, an agent's usual tools, and the line
// that ops/bench memory reads.

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "pipeline/core/tool/tool.hpp"
#include "tests/support/counted_memory.hpp"

namespace ba {

inline constexpr int kMany = 256;

inline std::string texts_of(std::size_t bytes) { return std::string(bytes, 'x'); }

/// As many and as long as those of a worker with its usual sections.
inline std::vector<ToolSpec> usual_tools() {
  constexpr int kTools = 20;
  constexpr std::size_t kDescription = 700;
  constexpr std::size_t kProperty = 1'200;
  std::vector<ToolSpec> tools;
  for (int i = 0; i < kTools; ++i)
    tools.push_back({"tool_of_a_worker_" + std::to_string(100 + i), texts_of(kDescription),
                     R"({"type":"object","properties":{"sql":{"type":"string","description":")" +
                         texts_of(kProperty) + R"("}},"required":["sql"]})"});
  return tools;
}

/// Of each of `count`, from what all of them took.
inline std::int64_t tell_bytes(const char* kind, std::int64_t all, int count) {
  const std::int64_t each = all / count;
  std::printf("memory %s %lld\n", kind, static_cast<long long>(each));
  return each;
}

}  // namespace ba
