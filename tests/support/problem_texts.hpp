#pragma once
// SPDX-License-Identifier: Apache-2.0
// What is wrong with a configuration, as it is read. Pure.

#include <string>
#include <vector>

#include "pipeline/base/setting_problem.hpp"

namespace ba {

inline std::vector<std::string> texts_of(const std::vector<SettingProblem>& problems) {
  std::vector<std::string> texts;
  for (const SettingProblem& problem : problems) texts.push_back(text_of(problem));
  return texts;
}

}  // namespace ba
