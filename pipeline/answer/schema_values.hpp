#pragma once
// SPDX-License-Identifier: Apache-2.0
// What rules of a schema ask of values, and how values are told in what was wrong. Pure; any
// thread. Inside of this folder only.

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ba::schema_values {

inline constexpr std::size_t kShownValue = 80;

/// A few words, however large the value is: while alternatives are tried, much is told that nobody
/// hears.
std::string shown(const nlohmann::json& value);

/// The first of an array's values, each as of shown().
std::string listed(const nlohmann::json& values);

/// Of a whole number no digit is lost.
long double number_of(const nlohmann::json& value);

bool is_of_type(const nlohmann::json& value, const std::string& type);

/// 0.3 is a multiple of 0.1, though the quotient of the two doubles is no whole number.
bool is_multiple(const nlohmann::json& value, const nlohmann::json& divisor);

/// 1.0 as 1, so that equal values have the same text.
void make_whole(nlohmann::json& value);

}  // namespace ba::schema_values
