#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tools over files: `file_reader` and `file_write`. Any thread.

#include "worker/tools/base/tool_family.hpp"

namespace ba::files {

tools::ToolFamily file_tools();

}  // namespace ba::files
