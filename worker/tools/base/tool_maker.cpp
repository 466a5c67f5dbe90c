// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/base/tool_maker.hpp"

namespace ba {

Result<bool> add_as_set(MadeTool made, const ToolSettingsByName& settings, ToolRegistry& registry) {
  const auto own = settings_of(settings, made.descriptor->name);
  if (!own) return false;
  apply(*own, *made.descriptor);
  if (auto added = registry.add(std::move(made.tool)); !added) return added.error();
  return true;
}

}  // namespace ba
