// SPDX-License-Identifier: Apache-2.0
#include "worker/config/changed_settings.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace ba::config {
namespace {

using Value = std::pair<std::string, std::string>;

std::set<Value> values_of(const std::vector<settings::Setting>& settings) {
  std::set<Value> values;
  for (const settings::Setting& setting : settings)
    values.emplace(setting.key(), setting.value_json);
  return values;
}

}  // namespace

std::vector<std::string> changed_settings(const std::vector<settings::Setting>& before,
                                          const std::vector<settings::Setting>& after) {
  std::vector<Value> different;
  std::ranges::set_symmetric_difference(values_of(before), values_of(after),
                                        std::back_inserter(different));
  std::set<std::string> keys;
  for (const auto& [key, value] : different) keys.insert(key);
  return {keys.begin(), keys.end()};
}

}  // namespace ba::config
