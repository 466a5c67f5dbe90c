// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/config/server_programs.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace ba::cli {
namespace {

constexpr const char* kUsualPath = "/bin:/usr/bin";  // of the C library, where there is no PATH

bool is_program(const std::string& file) {
  std::error_code failure;
  return std::filesystem::is_regular_file(file, failure) && ::access(file.c_str(), X_OK) == 0;
}

/// An empty part of the path is the working directory.
bool is_on_path(const std::string& program, const std::string& path) {
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t end = std::min(path.find(':', from), path.size());
    const std::string folder = path.substr(from, end - from);
    if (is_program((folder.empty() ? "." : folder) + "/" + program)) return true;
    from = end + 1;
  }
  return false;
}

}  // namespace

std::vector<std::string> missing_programs(const config::LoadedConfig& loaded) {
  const settings::Findings& findings = loaded.findings;
  const std::string path = loaded.sources.environment.get("PATH").value_or(kUsualPath);
  std::vector<std::string> missing;
  for (const mcp::McpServerConfig& server : loaded.config.mcp.servers) {
    if (!server.enabled || server.command.empty() || server.command.front().empty()) continue;
    const std::string& program = server.command.front();
    const bool named = program.find('/') != std::string::npos;
    if (named ? is_program(program) : is_on_path(program, path)) continue;
    const std::string key = server.key() + ".command";
    const std::string what = "there is no program '" + findings.shortened(program) + "'" +
                             (named ? "" : " on the PATH") +
                             " here; install it where the worker runs, or correct the name";
    missing.push_back(
        settings::Finding{findings.place_of(key), {.key = key, .words = what}}.text());
  }
  return missing;
}

}  // namespace ba::cli
