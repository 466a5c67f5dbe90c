#pragma once
// SPDX-License-Identifier: Apache-2.0
// A meter that any test can reckon with: a token for each four bytes, and one for what is left.
// One thread.

#include "pipeline/core/context/context_view.hpp"

namespace ba {

class QuarterMeter final : public TokenMeter {
 public:
  std::int64_t count(const std::string&, std::string_view text) override {
    ++counted;
    return static_cast<std::int64_t>((text.size() + 3) / 4);
  }
  std::int64_t margin_millionths(const std::string&) const override { return margin; }

  std::int64_t margin = 1'000'000;
  int counted = 0;
};

}  // namespace ba
