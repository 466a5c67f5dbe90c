// SPDX-License-Identifier: Apache-2.0
#include "worker/settings/micro_usd.hpp"

#include <cctype>

namespace ba::settings {
namespace {
constexpr std::int64_t kDollarsMax = 1'000'000'000;
constexpr std::int64_t kMicro = 1'000'000;
}  // namespace

std::optional<std::int64_t> parse_micro_usd(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  std::int64_t amount = 0;
  int places = -1;
  bool digits = false;
  for (const char letter : text) {
    if (letter == '.' && places < 0) {
      places = 0;
    } else if (std::isdigit(static_cast<unsigned char>(letter)) && places < 6) {
      amount = amount * 10 + (letter - '0');
      if (places >= 0) ++places;
      digits = true;
    } else {
      return std::nullopt;
    }
    if (places < 0 && amount > kDollarsMax) return std::nullopt;
  }
  if (!digits) return std::nullopt;
  for (int place = places < 0 ? 0 : places; place < 6; ++place) amount *= 10;
  if (amount > kDollarsMax * kMicro) return std::nullopt;
  return negative ? -amount : amount;
}

std::string micro_usd_text(std::int64_t micro_usd) {
  const bool negative = micro_usd < 0;
  const std::uint64_t amount =
      negative ? 0 - static_cast<std::uint64_t>(micro_usd) : static_cast<std::uint64_t>(micro_usd);
  std::string out = (negative ? "-" : "") + std::to_string(amount / kMicro);
  std::string rest = std::to_string(amount % kMicro);
  rest.insert(0, 6 - rest.size(), '0');
  rest.erase(rest.find_last_not_of('0') + 1);
  return rest.empty() ? out : out + "." + rest;
}

}  // namespace ba::settings
