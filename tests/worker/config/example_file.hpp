#pragma once
// SPDX-License-Identifier: Apache-2.0
// The example of a configuration file. Pure functions.

#include <fstream>
#include <regex>
#include <string>

namespace ba::config {

inline constexpr const char* kExample = "config/ba-agent.example.yaml";

/// The example with each commented-out setting ("# key: …", "#   - key: …") in force.
inline std::string everything_in_force() {
  static const std::regex commented(R"(^( *)# ( *(- )?[a-z_.]+:( .*)?)$)");
  std::ifstream in(kExample);
  std::string out;
  for (std::string line; std::getline(in, line);)
    out += std::regex_replace(line, commented, "$1$2") + "\n";
  return out;
}

}  // namespace ba::config
