// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/base/tool_maker.hpp"

#include <nlohmann/json.hpp>

namespace ba::tools {
namespace {

Result<void> add_made(const ToolMaker& maker, const ToolMaking& making,
                      const ToolSettingsByName& settings, ToolRegistry& registry) {
  auto made = maker.make(making);
  if (!made) return made.error();
  if (auto added = add_as_set(std::move(*made), settings, registry); !added) return added.error();
  return {};
}

Result<BuiltTools> build(const std::vector<ToolMaker>& makers, const ToolSettingsByName& settings,
                         const ToolPorts& ports, bool only_described) {
  BuiltTools built;
  built.registry = std::make_unique<ToolRegistry>();
  const ToolMaking making{ports, only_described, built.warnings};
  for (const ToolMaker& maker : makers) {
    if (!settings_of(settings, maker.name)) continue;
    if (!maker.configured && !only_described) continue;
    if (!maker.configured) built.unconfigured.emplace(maker.name, maker.setting);
    auto added = add_made(maker, making, settings, *built.registry);
    if (added) continue;
    if (!only_described) return added.error();
    built.unmade.emplace(maker.name, added.error());
  }
  for (const auto& [name, own] : settings)
    if (own.enabled && !built.registry->find(name) && !built.unmade.contains(name))
      built.unused_settings.push_back(name);
  return built;
}

}  // namespace

Result<bool> add_as_set(MadeTool made, const ToolSettingsByName& settings, ToolRegistry& registry) {
  const auto own = settings_of(settings, made.descriptor->name);
  if (!own) return false;
  apply(*own, *made.descriptor);
  if (auto added = registry.add(std::move(made.tool)); !added) return added.error();
  return true;
}

std::string call_schema(nlohmann::ordered_json properties, nlohmann::ordered_json required) {
  const nlohmann::ordered_json schema = {{"type", "object"},
                                         {"properties", std::move(properties)},
                                         {"required", std::move(required)},
                                         {"additionalProperties", false}};
  return schema.dump();
}

nlohmann::ordered_json text_property(int chars_max, const char* description, const char* semantic) {
  return {{"type", "string"},
          {"minLength", 1},
          {"maxLength", chars_max},
          {"description", description},
          {"x-semantic", semantic}};
}

Result<BuiltTools> build_tools(const std::vector<ToolMaker>& makers,
                               const ToolSettingsByName& settings, const ToolPorts& ports) {
  return build(makers, settings, ports, false);
}

BuiltTools describe_tools(const std::vector<ToolMaker>& makers, const ToolSettingsByName& settings,
                          const ToolPorts& ports) {
  Result<BuiltTools> described = build(makers, settings, ports, true);
  return std::move(*described);
}

}  // namespace ba::tools
