// SPDX-License-Identifier: Apache-2.0
#include "worker/config/environment.hpp"

#include <unistd.h>

#include <string_view>

namespace ba::config {

std::optional<std::string> Environment::get(const std::string& name) const {
  const auto found = variables.find(name);
  if (found == variables.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

Environment process_environment() {
  Environment environment;
  for (char** line = environ; line != nullptr && *line != nullptr; ++line) {
    const std::string_view text = *line;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    environment.variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

}  // namespace ba::config
