#pragma once
// SPDX-License-Identifier: Apache-2.0
// A row of the table of what providers take as a tool, by its name.

#include <stdexcept>
#include <string_view>

#include "worker/llm/tool_rules.hpp"

namespace ba::test {

inline const llm::ToolRules& rules_of(std::string_view who) {
  for (const llm::ToolRules* rules : llm::all_tool_rules())
    if (rules->who == who) return *rules;
  throw std::logic_error("no such row");
}

}  // namespace ba::test
