#pragma once
// SPDX-License-Identifier: Apache-2.0
// One call of a tool as a job would make it, for people. Blocks; any thread.

#include "pipeline/core/tool/tool_runtime.hpp"
#include "worker/config/config.hpp"

namespace ba {

/// Runs it to its end, with retries and with kept results where the configuration names a database.
/// The error is that of a configuration or a database that can't be used; a tool's own is in its
/// result. Texts that hold one of the configuration's secrets come without it.
Result<ToolResult> run_one_tool(const LoadedConfig& loaded, const ToolRequest& request);

}  // namespace ba
