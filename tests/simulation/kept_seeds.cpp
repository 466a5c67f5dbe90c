// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/kept_seeds.hpp"

#include <cstdio>
#include <fstream>
#include <sstream>

namespace ba::sim {

std::optional<KeptSeeds> read_kept_seeds(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    std::fprintf(stderr, "%s can't be read\n", path.c_str());
    return std::nullopt;
  }
  KeptSeeds seeds;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string name;
    std::uint64_t seed = 0;
    const bool read = words >> name >> seed && (words >> std::ws).eof();
    if (!read || !seeds.emplace(name, seed).second) {
      std::fprintf(stderr, "%s: \"%s\" is no name with a seed, or the second of it\n", path.c_str(),
                   line.c_str());
      return std::nullopt;
    }
  }
  return seeds;
}

}  // namespace ba::sim
