// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/job/savings.hpp"

#include <initializer_list>

namespace ba {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

struct Priced {
  std::int64_t tokens = 0;
  std::int64_t price = 0;  ///< per million; may be negative, as a difference
};

/// Whole millions apart, so that no product is beyond 64 bits.
std::int64_t micro_usd_of(std::initializer_list<Priced> parts) {
  std::int64_t whole = 0;
  std::int64_t rest = 0;  ///< in millionths
  for (const Priced& part : parts) {
    whole += part.tokens / kMillion * part.price;
    rest += part.tokens % kMillion * part.price;
  }
  return whole + (rest + (rest < 0 ? -kMillion / 2 : kMillion / 2)) / kMillion;
}

}  // namespace

Saving& Saving::operator+=(const Saving& other) {
  tokens += other.tokens;
  micro_usd += other.micro_usd;
  return *this;
}

Saving& Saving::operator-=(const Saving& other) {
  tokens -= other.tokens;
  micro_usd -= other.micro_usd;
  return *this;
}

Saving Savings::total() const {
  Saving all = cache;
  all += encoding;
  all += shared_results;
  all += compression;
  return all;
}

Savings& Savings::operator+=(const Savings& other) {
  cache += other.cache;
  encoding += other.encoding;
  shared_results += other.shared_results;
  compression += other.compression;
  return *this;
}

Savings& Savings::operator-=(const Savings& other) {
  cache -= other.cache;
  encoding -= other.encoding;
  shared_results -= other.shared_results;
  compression -= other.compression;
  return *this;
}

Savings savings_of_call(const Usage& usage, const SpareTokens& spare,
                        const std::optional<InputPrices>& prices) {
  Savings savings;
  savings.cache.tokens = usage.cache_read_tokens;
  savings.encoding.tokens = spare.encoding;
  savings.compression.tokens = spare.compression;
  if (!prices) return savings;
  savings.cache.micro_usd =
      micro_usd_of({{usage.cache_read_tokens, prices->input - prices->cache_read},
                    {usage.cache_write_tokens, prices->input - prices->cache_write}});
  savings.encoding.micro_usd = micro_usd_of({{spare.encoding, prices->input}});
  savings.compression.micro_usd = micro_usd_of({{spare.compression, prices->input}});
  return savings;
}

Savings cost_of_summary(const Usage& usage, std::optional<std::int64_t> cost_micro_usd) {
  Savings cost;
  cost.compression = {usage.total(), cost_micro_usd.value_or(0)};
  return cost;
}

}  // namespace ba
