// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/job/savings.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "pipeline/core/job/outcome.hpp"
#include "tests/support/test_seed.hpp"

namespace ba {
namespace {

constexpr InputPrices kSonnet{3'000'000, 300'000, 3'750'000};

Usage usage_of(std::int64_t input, std::int64_t read, std::int64_t write) {
  Usage usage;
  usage.input_tokens = input;
  usage.cache_read_tokens = read;
  usage.cache_write_tokens = write;
  usage.output_tokens = 50;
  return usage;
}

/// The example of docs/internals/costs.md.
TEST(Savings, OfTheDocumentedExample) {
  const Savings first = savings_of_call(usage_of(0, 0, 2'000), {}, kSonnet);
  EXPECT_EQ(first.cache, (Saving{0, -1'500})) << "writing to the cache costs more than input";
  const Savings second = savings_of_call(usage_of(0, 2'000, 500), {800, 0}, kSonnet);
  EXPECT_EQ(second.cache, (Saving{2'000, 5'400 - 375}));
  EXPECT_EQ(second.encoding, (Saving{800, 2'400}));
  EXPECT_EQ(second.compression, Saving{});
  Savings job = first;
  job += second;
  EXPECT_EQ(job.total(), (Saving{2'800, 5'925}));
}

/// A plain loop is billed all tokens at the price of input.
TEST(Savings, AreWhatAPlainLoopWouldHaveBeenBilledMore) {
  std::mt19937_64 random(test_seed());
  std::uniform_int_distribution<std::int64_t> tokens(0, 3'000'000);
  std::uniform_int_distribution<std::int64_t> spare(-2'000, 3'000'000);
  std::uniform_int_distribution<std::int64_t> price(0, 10'000'000'000);
  for (int round = 0; round < 500; ++round) {
    const InputPrices prices{price(random), price(random), price(random)};
    const Usage usage = usage_of(tokens(random), tokens(random), tokens(random));
    const SpareTokens more{spare(random), spare(random)};
    const auto dollars = [](std::int64_t count, std::int64_t at) {
      return static_cast<long double>(count) * static_cast<long double>(at) / 1e6L;
    };
    const long double billed = dollars(usage.input_tokens, prices.input) +
                               dollars(usage.cache_read_tokens, prices.cache_read) +
                               dollars(usage.cache_write_tokens, prices.cache_write);
    const long double plain =
        dollars(usage.total_input() + more.encoding + more.compression, prices.input);
    const Saving all = savings_of_call(usage, more, prices).total();
    EXPECT_NEAR(static_cast<double>(plain - billed - static_cast<long double>(all.micro_usd)), 0,
                1.6)
        << "each of three kinds is rounded to a micro-dollar";
    EXPECT_EQ(all.tokens, usage.cache_read_tokens + more.encoding + more.compression);
  }
}

TEST(Savings, AreRoundedToTheNearestMicroDollarHalvesAwayFromZero) {
  const std::pair<std::int64_t, std::int64_t> samples[] = {{0, 0},   {1, 1}, {-1, -1}, {2, 1},
                                                           {-2, -1}, {3, 2}, {-3, -2}};
  for (const auto& [tokens, micro_usd] : samples)
    EXPECT_EQ(savings_of_call({}, {tokens, 0}, InputPrices{500'000, 0, 0}).encoding.micro_usd,
              micro_usd)
        << tokens;
}

TEST(Savings, WithoutPricesAreTokensAlone) {
  const Savings savings = savings_of_call(usage_of(1, 2, 3), {4, 5}, std::nullopt);
  EXPECT_EQ(savings.total(), (Saving{11, 0}));
}

TEST(Savings, ASummaryThatCostsMoreThanItSavesIsALoss) {
  Savings savings = savings_of_call({}, {0, 100}, kSonnet);
  savings -= cost_of_summary(usage_of(400, 0, 0), 1'950);
  EXPECT_EQ(savings.compression, (Saving{100 - 450, 300 - 1'950}));
}

/// In any order and in any parts: what is spent since then, added to what was, is what is.
TEST(Savings, OfPartsAddUpToThoseOfTheWhole) {
  std::mt19937_64 random(test_seed());
  std::uniform_int_distribution<std::int64_t> tokens(-5'000, 500'000);
  std::vector<Savings> calls;
  for (int i = 0; i < 200; ++i)
    calls.push_back(savings_of_call(usage_of(0, tokens(random) + 5'000, tokens(random) + 5'000),
                                    {tokens(random), tokens(random)}, kSonnet));
  Savings forwards;
  Savings backwards;
  JobTotals of_parts;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    JobTotals before;
    before.savings = forwards;
    forwards += calls[i];
    backwards += calls[calls.size() - 1 - i];
    JobTotals now;
    now.savings = forwards;
    add(of_parts, spending_of(now) - spending_of(before));
  }
  EXPECT_EQ(forwards, backwards);
  EXPECT_EQ(of_parts.savings, forwards);
  EXPECT_EQ(forwards.total().micro_usd, forwards.cache.micro_usd + forwards.encoding.micro_usd +
                                            forwards.shared_results.micro_usd +
                                            forwards.compression.micro_usd);
}

}  // namespace
}  // namespace ba
