#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the value of a setting may be, as the reader that asks for it says. Values.

#include <string>
#include <vector>

#include "pipeline/base/setting_problem.hpp"

namespace ba::settings {

struct SettingShape {
  enum class Kind { Text, Texts, TextMap, Whole, Real, Boolean, Dollars, Choice };
  Kind kind = Kind::Text;
  Bounds bounds{};   ///< of Whole; of Dollars in micro-dollars
  double least = 0;  ///< of Real
  double most = 0;
  std::vector<std::string> choices{};
};

}  // namespace ba::settings
