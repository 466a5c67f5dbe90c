#pragma once
// SPDX-License-Identifier: Apache-2.0
// What rules of a schema ask of values, and how values are told in what was wrong. Pure; any
// thread. Inside of this folder only.

#include <compare>
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

/// The nearest one, for what counts.
long double number_of(const nlohmann::json& value);

/// Of two numbers, exactly, however many digits they have.
std::strong_ordering compared(const nlohmann::json& left, const nlohmann::json& right);

/// 1 is 1.0, also within arrays and objects.
bool same(const nlohmann::json& left, const nlohmann::json& right);

bool is_of_type(const nlohmann::json& value, const std::string& type);

/// Exactly: 0.3 is a multiple of 0.1.
bool is_multiple(const nlohmann::json& value, const nlohmann::json& divisor);

/// Equal values have the same text.
std::string text_by_value(const nlohmann::json& value);

}  // namespace ba::schema_values
