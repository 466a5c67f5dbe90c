#pragma once
// SPDX-License-Identifier: Apache-2.0
// The options that the program takes with every command: the configuration file and settings that
// come before it. Inside the parser; knows CLI11.

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "worker/config/config.hpp"

namespace ba::cli {

/// Under the help of each command: what the program itself takes stands in no list of its options.
inline constexpr const char* kEverywhere =
    "Everywhere: --config FILE, --set KEY=VALUE, --log-level LEVEL, --log-format FORMAT;\n"
    "see `ba-agent --help`.";

struct GlobalOptions {
  std::string config_file;
  std::vector<std::string> settings;
  std::string log_level;
  std::string log_format;
};

/// `options` outlives the parse.
void add_global_options(CLI::App& app, GlobalOptions& options);

/// Throws CLI::ValidationError for a setting that isn't key=value, or is a secret.
std::vector<config::Override> overrides_of(const GlobalOptions& options);

}  // namespace ba::cli
