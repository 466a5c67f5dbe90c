#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tools over files, for build_tools(): `file_reader` and `file_write`. Any thread.

#include <vector>

#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/files/files_config.hpp"

namespace ba {

std::vector<ToolMaker> file_tools(const FilesConfig& files, const FileWriteConfig& file_write);

}  // namespace ba
