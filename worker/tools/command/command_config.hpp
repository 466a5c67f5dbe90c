#pragma once
// SPDX-License-Identifier: Apache-2.0
// What can be configured of `execute_command`, already parsed. Every default stands here. Values.

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/base/setting_problem.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba::settings {
class SectionReader;
}  // namespace ba::settings

namespace ba::command {

/// Under `tools.execute_command`: what a sandboxed command may take.
struct CommandConfig {
  bool enabled = false;    ///< false: there is no `execute_command`
  bool artifacts = false;  ///< a command may be given one as a file
  PermissionLevel permission = PermissionLevel::Admin;
  std::string bubblewrap = "/usr/bin/bwrap";
  std::int64_t memory_bytes_max = 512LL << 20;  ///< address space of each process, and all together
  int processes_max = 64;                       ///< and threads, at a time
  int cpu_seconds_max = 60;                     ///< of each process
  std::int64_t disk_bytes_max = 64LL << 20;     ///< of /tmp, and of the work directory
  std::int64_t files_max = 10'000;              ///< and directories, in both together
  int open_files_max = 256;                     ///< of each process
  std::int64_t output_bytes_max = 256 * 1024;   ///< of standard output, and of standard error
  int threads = 2;                              ///< commands at a time
  Milliseconds wait_max{10'000};                ///< for one of them

  friend bool operator==(const CommandConfig&, const CommandConfig&) = default;
};

/// `tools`: the section around it.
void read_command(settings::SectionReader& tools, CommandConfig& command);

/// What no field alone can tell.
std::vector<SettingProblem> validate(const CommandConfig& command);

}  // namespace ba::command
