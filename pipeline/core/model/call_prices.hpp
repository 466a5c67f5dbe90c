#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a call of a model would cost, as a port: for what is decided before it is made. The adapter
// is the price book of worker/llm. Control thread only.

#include <cstdint>
#include <optional>
#include <string>

#include "pipeline/base/time.hpp"
#include "pipeline/text/message/message.hpp"

namespace ba {

class CallPrices {
 public:
  virtual ~CallPrices() = default;

  /// In micro-dollars, as a reply with that usage is billed at that moment. None: no price is
  /// configured. `reading`: of the configuration, as ModelRequest::price_reading.
  virtual std::optional<std::int64_t> cost_of_call(const std::string& model, const Usage& usage,
                                                   int reading, WallTime moment) const = 0;

  /// Tokens that a reply may have of which nothing else is said; 0: that isn't known.
  virtual std::int64_t output_tokens_max(const std::string& model) const = 0;
};

}  // namespace ba
