#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a job has saved against a plain ReAct loop: one that sends the whole history with each
// model call, results as indented JSON (kPlainResultBytesMax), without cache marks, and shares
// nothing. docs/internals/costs.md has the definition, with an example. A saving may be negative.
// Integer arithmetic: the same wherever and whenever it is done again. Values.

#include <cstdint>
#include <optional>

#include "pipeline/text/message/message.hpp"

namespace ba {

/// Micro-dollars per million tokens of input: $3 per million is 3'000'000.
struct InputPrices {
  std::int64_t input = 0;
  std::int64_t cache_read = 0;
  std::int64_t cache_write = 0;

  friend bool operator==(const InputPrices&, const InputPrices&) = default;
};

struct Saving {
  std::int64_t tokens = 0;
  std::int64_t micro_usd = 0;  ///< of what has a price

  Saving& operator+=(const Saving& other);
  Saving& operator-=(const Saving& other);
  friend bool operator==(const Saving&, const Saving&) = default;
};

struct Savings {
  Saving cache;           ///< read from the provider's prompt cache instead of paid in full
  Saving encoding;        ///< results written shorter than as indented JSON, or shown in part
  Saving shared_results;  ///< paid by another job or worker, and taken from what they share
  Saving compression;     ///< left out of long histories, less what summaries of them cost

  Saving total() const;
  Savings& operator+=(const Savings& other);
  Savings& operator-=(const Savings& other);
  friend bool operator==(const Savings&, const Savings&) = default;
};

/// How many tokens one model call would have had more of.
struct SpareTokens {
  std::int64_t encoding = 0;     ///< in the results of its history, were they indented JSON
  std::int64_t compression = 0;  ///< in messages of its history that it was not sent
};

/// Of one model call. Without prices: tokens alone. Each kind's money is rounded once to the
/// nearest micro-dollar, halves away from zero.
Savings savings_of_call(const Usage& usage, const SpareTokens& spare,
                        const std::optional<InputPrices>& prices);

/// What a summary of a long history cost, whoever paid: it is taken off what its use saves.
Savings cost_of_summary(const Usage& usage, std::optional<std::int64_t> cost_micro_usd);

}  // namespace ba
