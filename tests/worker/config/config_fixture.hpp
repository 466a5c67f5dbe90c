#pragma once
// SPDX-License-Identifier: Apache-2.0
// Loads a configuration from a file in a folder of the test's own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "worker/config/load_config.hpp"
#include "worker/tools/command/command_config.hpp"
#include "worker/tools/files/files_config.hpp"
#include "worker/tools/search/web_search_config.hpp"
#include "worker/tools/vector/vector_search_config.hpp"

namespace ba::config {

/// A configuration file in a folder of its own.
class ConfigTest : public ::testing::Test {
 protected:
  ConfigTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("ba-config-" + std::to_string(getpid()) + "-" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(folder_);
  }
  ~ConfigTest() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    std::filesystem::permissions(
        folder_ / name, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return folder_ / name;
  }

  LoadedConfig load(const std::string& yaml, Environment environment = {},
                    std::vector<Override> overrides = {}) {
    return load_config({write("c.yaml", yaml.empty() ? "{}" : yaml), std::move(environment),
                        std::move(overrides)});
  }

  /// The errors with the file's folder taken off.
  std::vector<std::string> errors(const std::string& yaml, Environment environment = {}) {
    std::vector<std::string> out = load(yaml, std::move(environment)).findings.errors();
    const std::string prefix = folder_.string() + "/";
    for (std::string& line : out)
      if (line.rfind(prefix, 0) == 0) line.erase(0, prefix.size());
    return out;
  }

  const std::filesystem::path folder_;
};

inline const settings::Setting* setting(const LoadedConfig& loaded, const std::string& key) {
  for (const settings::Setting& one : loaded.findings.settings)
    if (one.key() == key) return &one;
  return nullptr;
}

}  // namespace ba::config
