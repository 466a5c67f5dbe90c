#pragma once
// SPDX-License-Identifier: Apache-2.0
// The samples of schemas/golden, read from the root of the tree.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace ba::test {

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string golden(const std::string& name) { return read_file("schemas/golden/" + name); }

/// The samples of a message, without their endings: "dead_letter", "dead_letter.job", …
inline std::vector<std::string> samples_of(const std::string& message) {
  std::vector<std::string> samples;
  for (const auto& entry : std::filesystem::directory_iterator("schemas/golden")) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".json") continue;
    if (name == message || name.starts_with(message + ".")) samples.push_back(name);
  }
  std::sort(samples.begin(), samples.end());
  EXPECT_FALSE(samples.empty()) << message;
  return samples;
}

}  // namespace ba::test
