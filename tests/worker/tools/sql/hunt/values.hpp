#pragma once
// SPDX-License-Identifier: Apache-2.0
// Values as SQL writes them, of any type by its name. Pure.

#include <string>

#include "tests/worker/tools/sql/hunt/hunt_dice.hpp"

namespace ba::hunt {

/// The type that a polymorphic or pseudo-type stands for here; others are themselves.
std::string concrete(const std::string& type);

/// NULL of the type, or a simple value of it that may stand in any place, in parentheses.
std::string null_of(const std::string& type);
std::string value_of(const std::string& type, Dice& dice);

}  // namespace ba::hunt
