// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/command/command_config.hpp"

#include "pipeline/base/setting_problem.hpp"
#include "pipeline/core/tool/tool_names.hpp"
#include "worker/settings/section_reader.hpp"

namespace ba::command {

void read_command(settings::SectionReader& tools, CommandConfig& command) {
  tools.section("execute_command", [&](settings::SectionReader& in) {
    in.read("enabled", command.enabled);
    in.read("permission", command.permission, kPermissionNames);
    in.read("bubblewrap", command.bubblewrap);
    in.read("memory_bytes_max", command.memory_bytes_max, {16LL << 20, 1LL << 40});
    in.read("processes_max", command.processes_max, {2, 4096});
    in.read("cpu_seconds_max", command.cpu_seconds_max, {1, 3600});
    in.read("disk_bytes_max", command.disk_bytes_max, {64LL << 10, 16LL << 30});
    in.read("files_max", command.files_max, {16, 10'000'000});
    in.read("open_files_max", command.open_files_max, {16, 65536});
    in.read("output_bytes_max", command.output_bytes_max, {1024, 64LL << 20});
    in.read("threads", command.threads, {1, 64});
    in.read("wait_ms_max", command.wait_max, {100, 3'600'000});
  });
}

std::vector<SettingProblem> validate(const CommandConfig& command) {
  std::vector<SettingProblem> problems;
  KeyChecks(problems, "tools.execute_command")
      .expect(command.bubblewrap.starts_with('/'), "bubblewrap", "'" + command.bubblewrap + "'",
              "an absolute path");
  return problems;
}

}  // namespace ba::command
