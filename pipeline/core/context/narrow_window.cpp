// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/context/narrow_window.hpp"

#include <algorithm>

namespace ba {
namespace {

/// Numbers in foreign texts may be anything.
constexpr std::int64_t kSaneMax = 1'000'000'000;

std::optional<std::int64_t> sane(std::optional<std::int64_t> told) {
  return told && *told > 0 && *told <= kSaneMax ? told : std::nullopt;
}

std::int64_t bounded(std::int64_t tokens) { return std::clamp<std::int64_t>(tokens, 1, kSaneMax); }

}  // namespace

std::int64_t narrowed_window(const ContextRefusal& refusal, const RefusedContext& sent) {
  const std::int64_t tokens = bounded(sent.tokens);
  const std::int64_t output =
      std::max({std::int64_t{0}, sent.output_max, sane(refusal.output).value_or(0)});
  const std::int64_t with_output = bounded(tokens + output);
  const auto limit = sane(refusal.limit);
  // Of which no more than 80 % are used: half of what was refused.
  const std::int64_t guess = std::max(tokens * 5 / 8, kGuessedWindowLeast);
  if (!limit) return guess;
  const auto counted = sane(refusal.counted);
  const std::int64_t ours = refusal.counted_output ? with_output : tokens;
  const std::int64_t window = counted ? bounded(*limit * ours / *counted) : *limit;
  return with_output > window ? window : guess;  // else it is no reason for the refusal
}

std::int64_t output_ceiling(std::int64_t narrowed) {
  return std::max<std::int64_t>(narrowed / 2, 1);
}

std::int64_t smaller_window(std::int64_t window, std::int64_t narrowed) {
  return window > 0 ? std::min(window, narrowed) : narrowed;
}

std::int64_t window_after(std::span<const RefusedContextRow> refused, const std::string& model,
                          std::int64_t window) {
  std::int64_t left = window;
  for (const RefusedContextRow& row : refused)
    if (row.model == model && row.of_window == window) left = smaller_window(left, row.window);
  return left;
}

}  // namespace ba
