#pragma once
// SPDX-License-Identifier: Apache-2.0
// The files of statements in data/, each statement with a mark; what the marks mean stands at the
// top of each file. Run from the root of the tree.

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ba::hunt {

inline const std::string kData = "tests/worker/tools/sql/hunt/data/";

struct MarkedStatement {
  char mark = '=';
  std::string sql;
};

inline std::vector<MarkedStatement> statements_in(const std::string& name) {
  std::ifstream file(kData + name);
  std::vector<MarkedStatement> statements;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const bool more = line.starts_with("  ") && !statements.empty();
    const bool good = more || (line.size() > 2 && line[1] == ' ' &&
                               std::string("=~?!").find(line[0]) != std::string::npos);
    if (!good) throw std::runtime_error(name + ": " + line);
    if (more)
      statements.back().sql += "\n" + line.substr(2);
    else
      statements.push_back({line[0], line.substr(2)});
  }
  if (statements.empty()) throw std::runtime_error(name + " is missing or empty");
  return statements;
}

}  // namespace ba::hunt
