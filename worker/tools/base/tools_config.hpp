#pragma once
// SPDX-License-Identifier: Apache-2.0
// Configuration of the tools: what can be set for any of them, and for each family of tools what it
// has read. A family's settings are values of types that its own folder alone knows. Values.

#include <algorithm>
#include <any>
#include <concepts>
#include <map>
#include <typeindex>

#include "worker/tools/base/tool_settings.hpp"

namespace ba::tools {

class ToolsConfig {
 public:
  ToolSettingsByName settings;  ///< `tools.settings`

  /// A family's settings, made with their defaults where nobody has read them yet. The reference
  /// holds as long as the configuration.
  template <std::equality_comparable Settings>
  Settings& of() {
    Slot& slot = slots_[typeid(Settings)];
    if (!slot.value.has_value()) slot = {Settings{}, same<Settings>};
    return *std::any_cast<Settings>(&slot.value);
  }

  template <std::equality_comparable Settings>
  const Settings& of() const {
    static const Settings usual{};
    const auto found = slots_.find(typeid(Settings));
    return found == slots_.end() ? usual : *std::any_cast<Settings>(&found->second.value);
  }

  friend bool operator==(const ToolsConfig& one, const ToolsConfig& other) {
    return one.settings == other.settings &&
           std::ranges::equal(one.slots_, other.slots_, [](const auto& a, const auto& b) {
             return a.first == b.first && a.second.same(a.second.value, b.second.value);
           });
  }

 private:
  struct Slot {
    std::any value;
    bool (*same)(const std::any&, const std::any&) = nullptr;
  };

  template <typename Settings>
  static bool same(const std::any& one, const std::any& other) {
    return *std::any_cast<Settings>(&one) == *std::any_cast<Settings>(&other);
  }

  std::map<std::type_index, Slot> slots_;  ///< by the type of what is in it
};

}  // namespace ba::tools
