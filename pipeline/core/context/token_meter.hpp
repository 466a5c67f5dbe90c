#pragma once
// SPDX-License-Identifier: Apache-2.0
// How many tokens a model takes a text for, as a port: what counts exactly needs files and
// configuration. Control thread only.

#include <cstdint>
#include <string>
#include <string_view>

namespace ba {

class TokenMeter {
 public:
  virtual ~TokenMeter() = default;

  /// `model` is a configured one. The same text always has the same count.
  virtual std::int64_t count(const std::string& model, std::string_view text) = 0;

  /// By how much the model's own count may be larger, in millionths; at least a million.
  virtual std::int64_t margin_millionths(const std::string& model) const = 0;
};

}  // namespace ba
