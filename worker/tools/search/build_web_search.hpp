#pragma once
// SPDX-License-Identifier: Apache-2.0
// `web_search` for build_tools() and describe_tools(). Called once at start.

#include "pipeline/core/port/executor.hpp"
#include "worker/http/http_client.hpp"
#include "worker/tools/build_tools.hpp"
#include "worker/tools/search/web_search_config.hpp"

namespace ba {

/// `http` (null: the tool is described only) and `executor` outlive the tool.
ToolMaker web_search_maker(const WebSearchConfig& config, HttpClient* http, Executor& executor);

}  // namespace ba
