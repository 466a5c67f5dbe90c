#pragma once
// SPDX-License-Identifier: Apache-2.0
// Configuration of the tools over SQL, files and commands, and of any tool (section `tools` of the
// configuration file), already parsed. Values.

#include <vector>

#include "pipeline/base/setting_problem.hpp"
#include "worker/tools/base/tool_settings.hpp"
#include "worker/tools/command/command_config.hpp"
#include "worker/tools/files/files_config.hpp"
#include "worker/tools/sql/sql_config.hpp"

namespace ba {

struct ToolsConfig {
  std::vector<DataSourceConfig> data_sources;    ///< none: there is no `query_database`
  std::vector<WriteSourceConfig> write_sources;  ///< none: there is no `database_write`
  FilesConfig files;
  FileWriteConfig file_write;
  CommandConfig command;
  ToolSettingsByName settings;

  friend bool operator==(const ToolsConfig&, const ToolsConfig&) = default;
};

/// What no field alone can tell: names, paths, what belongs together. Looks at the values alone:
/// neither a database nor the file system is asked.
std::vector<SettingProblem> validate(const ToolsConfig& config);

}  // namespace ba
