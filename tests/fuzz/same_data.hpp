#pragma once
// SPDX-License-Identifier: Apache-2.0
// Compares trees of JSON where a number may be written otherwise. Pure.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"

namespace ba::fuzz {

/// The same values in the same order; numbers by their decimal value: 1.0e+16 is 1e+16.
template <typename Json>
bool same_data(const Json& a, const Json& b) {
  if (is_any_number(a) && is_any_number(b)) return decimal_value(a) == decimal_value(b);
  if (a.type() != b.type()) return false;
  if (!a.is_structured()) return a == b;
  if (a.size() != b.size()) return false;
  if (a.is_array()) return std::equal(a.begin(), a.end(), b.begin(), same_data<Json>);
  for (auto left = a.begin(), right = b.begin(); left != a.end(); ++left, ++right)
    if (left.key() != right.key() || !same_data(left.value(), right.value())) return false;
  return true;
}

}  // namespace ba::fuzz
