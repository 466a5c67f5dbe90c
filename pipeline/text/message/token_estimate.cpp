// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/token_estimate.hpp"

namespace ba {
namespace {

/// Whether a character of three bytes is one of U+4E00–U+9FFF.
bool is_han(unsigned char first, unsigned char second) {
  if (first == 0xe4) return second >= 0xb8;
  return first >= 0xe5 && first <= 0xe9;
}

}  // namespace

std::int64_t estimated_tokens(std::string_view text) {
  std::int64_t chars = 0;
  std::int64_t han = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) == 0x80) continue;
    ++chars;
    if (i + 1 < text.size() && is_han(byte, static_cast<unsigned char>(text[i + 1]))) ++han;
  }
  if (chars == 0) return 0;
  // 4·(1−r) + 1.5·r is (8·chars − 5·han) / (2·chars).
  return 2 * chars * chars / (8 * chars - 5 * han);
}

}  // namespace ba
