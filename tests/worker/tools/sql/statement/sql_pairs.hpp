#pragma once
// SPDX-License-Identifier: Apache-2.0
// The pairs of statements in data/sql_pairs.txt. For tests; run from the root of the tree.

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ba::sql {

struct SqlPair {
  bool same = false;
  std::string left;
  std::string right;
};

inline std::string unescaped(std::string text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size();
    const char c = escape ? text[++i] : text[i];
    plain += escape && c == 'n' ? '\n' : escape && c == 't' ? '\t' : c;
  }
  return plain;
}

inline std::vector<SqlPair> sql_pairs() {
  std::ifstream file("tests/worker/tools/sql/statement/data/sql_pairs.txt");
  std::vector<SqlPair> pairs;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t at = line.find(" ||| ");
    const bool good = (line[0] == '=' || line[0] == '!') && at != std::string::npos;
    if (!good) throw std::runtime_error("sql_pairs.txt: " + line);
    pairs.push_back(
        {line[0] == '=', unescaped(line.substr(2, at - 2)), unescaped(line.substr(at + 5))});
  }
  if (pairs.empty()) throw std::runtime_error("sql_pairs.txt is missing or empty");
  return pairs;
}

}  // namespace ba::sql
