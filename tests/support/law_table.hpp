#pragma once
// SPDX-License-Identifier: Apache-2.0
// A state machine's law as a test writes it down: a line names a situation, and each line below it,
// indented, what comes of events there: "  Next | event event". One thread.

#include <map>
#include <sstream>
#include <string>

namespace ba::test {

using Law = std::map<std::string, std::map<std::string, std::string>>;  ///< situation, event

inline Law law_of(const char* text) {
  Law law;
  std::string situation;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    if (line.front() != ' ') {
      law[situation = line];
      continue;
    }
    const auto bar = line.find(" | ");
    std::istringstream events(line.substr(bar + 3));
    for (std::string event; events >> event;) law[situation][event] = line.substr(2, bar - 2);
  }
  return law;
}

}  // namespace ba::test
