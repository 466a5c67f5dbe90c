// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/stored_vector.hpp"

#include <charconv>
#include <cmath>

namespace ba {

bool read_stored_vector(std::string_view text, int dimensions, std::vector<double>& numbers) {
  numbers.clear();
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') return false;
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  while (at < end) {
    double number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    const bool ended = next == end;
    // "NULL" is no number; "NaN" and "Infinity" are.
    if (error != std::errc() || !std::isfinite(number) || (!ended && *next != ',')) return false;
    numbers.push_back(number);
    if (ended) break;
    at = next + 1;
    if (at == end) return false;
  }
  return numbers.size() == static_cast<std::size_t>(dimensions);
}

std::string pgvector_text(const std::vector<double>& numbers) {
  std::string text = "[";
  char digits[32];
  for (const double number : numbers) {
    if (text.size() > 1) text += ',';
    const auto [end, unused] =
        std::to_chars(std::begin(digits), std::end(digits), static_cast<float>(number));
    text.append(std::begin(digits), end);
  }
  return text + "]";
}

}  // namespace ba
