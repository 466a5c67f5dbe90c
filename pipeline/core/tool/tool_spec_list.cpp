// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/tool_spec_list.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace ba {
namespace {

/// Of names and lengths: texts of a length that differ are compared.
std::size_t hash_of(const std::vector<ToolSpec>& tools) {
  constexpr std::size_t kFactor = 1'099'511'628'211;
  std::size_t hash = tools.size();
  for (const ToolSpec& tool : tools)
    for (const std::size_t part : {std::hash<std::string>{}(tool.name), tool.description.size(),
                                   tool.parameters_schema.size()})
      hash = (hash ^ part) * kFactor;
  return hash;
}

}  // namespace

ToolSpecList::ToolSpecList(std::vector<ToolSpec> tools) {
  if (!tools.empty()) tools_ = std::make_shared<const std::vector<ToolSpec>>(std::move(tools));
}

const std::vector<ToolSpec>& ToolSpecList::all() const {
  static const std::vector<ToolSpec> none;
  return tools_ ? *tools_ : none;
}

ToolSpecList ToolSpecLists::held_once(ToolSpecList tools) {
  if (!tools.tools_) return tools;
  const std::size_t hash = hash_of(*tools.tools_);
  const auto [first, last] = known_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    ToolSpecList held;
    held.tools_ = it->second.lock();
    if (held.tools_ && held == tools) return held;
  }
  if (known_.size() >= look_at_) forget_unheld();
  known_.emplace(hash, tools.tools_);
  return tools;
}

void ToolSpecLists::forget_unheld() {
  std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
  look_at_ = std::max(kFew, 2 * known_.size());
}

}  // namespace ba
